"""The same dataset sent twice at the same moment, by two threads with connections of their own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from apps.accounts.models import Workspace
from apps.datasets.models import DatasetVersion, Record, Upload
from tests.datasets.documents import accepted, document, record

pytestmark = pytest.mark.skipif(
    connection.vendor == "sqlite",
    reason="SQLite in memory locks whole tables; test_processes.py does it on a file",
)


@pytest.fixture
def shared_workspace(transactional_db: None) -> Workspace:
    return Workspace.objects.create(slug="shared", name="Shared")


def at_once(*actions: Callable[[], Upload]) -> list[Upload]:
    start = Barrier(len(actions))

    def act(action: Callable[[], Upload]) -> Upload:
        try:
            start.wait(timeout=10)
            return action()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(actions)) as threads:
        return list(threads.map(act, actions))


def test_the_same_bytes_sent_twice_at_once_give_one_version(shared_workspace: Workspace) -> None:
    content = document(*[record(number) for number in range(500)])

    first, second = at_once(
        lambda: accepted(shared_workspace, content), lambda: accepted(shared_workspace, content)
    )

    assert first.version == second.version == DatasetVersion.objects.get()
    assert Record.objects.count() == 500
    assert first.outcome is not None
    assert second.outcome is not None
    assert sorted([first.outcome["created"], second.outcome["created"]]) == [False, True]


def test_of_two_different_documents_with_one_name_one_conflicts(
    shared_workspace: Workspace,
) -> None:
    contents = [document(record(number)) for number in range(2)]

    uploads = at_once(*[lambda c=c: accepted(shared_workspace, c) for c in contents])

    statuses = sorted(upload.outcome["status"] for upload in uploads if upload.outcome)
    assert statuses == [201, 409]
    assert DatasetVersion.objects.count() == 1
    assert Record.objects.count() == 1
