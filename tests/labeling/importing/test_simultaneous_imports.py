"""The same labels and scores sent twice at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from apps.accounts.models import Workspace
from apps.labeling.models import Annotation, AnnotationChange, Campaign
from apps.runs.models import Run, Score
from tests.datasets.pairs import (
    LABEL_COLUMNS,
    SCORE_COLUMNS,
    a_pair,
    csv_of,
    pairs_csv,
    pairs_version,
    uploaded,
)

pytestmark = pytest.mark.skipif(
    connection.vendor == "sqlite",
    reason="SQLite in memory locks whole tables instead of waiting",
)

NUMBERS = range(200)
LABELS = csv_of(LABEL_COLUMNS, [(f"p{n}", "grounding", "true", "bob", "") for n in NUMBERS])
SCORES = csv_of(SCORE_COLUMNS, [(f"p{n}", "grounding", 0.5, "model_based") for n in NUMBERS])


@pytest.fixture
def shared_workspace(transactional_db: None) -> Workspace:
    workspace = Workspace.objects.create(slug="shared", name="Shared")
    pairs_version(workspace, pairs_csv(*(a_pair(number) for number in NUMBERS)))
    return workspace


def at_once(workspace: Workspace, *files: tuple[str, bytes]) -> list[str]:
    start = Barrier(len(files))

    def send(file: tuple[str, bytes]) -> str:
        try:
            start.wait(timeout=10)
            upload = uploaded(workspace, file[1], file[0])
            assert upload.outcome is not None
            return str(upload.outcome.get("told", upload.outcome))
        finally:
            connection.close()

    with ThreadPoolExecutor(len(files)) as threads:
        return list(threads.map(send, files))


def test_labels_are_stored_once(shared_workspace: Workspace) -> None:
    told = at_once(shared_workspace, *[("labels.csv", LABELS)] * 3)

    assert sorted(sentence.partition(": ")[2] for sentence in told) == [
        "0 new, 0 changed, 200 as before.",
        "0 new, 0 changed, 200 as before.",
        "200 new, 0 changed, 0 as before.",
    ]
    assert (Annotation.objects.count(), Campaign.objects.count()) == (200, 1)
    assert not AnnotationChange.objects.exists()


def test_labels_and_scores_share_one_recorded_run(shared_workspace: Workspace) -> None:
    at_once(shared_workspace, *[("labels.csv", LABELS), ("judge.csv", SCORES)] * 2)

    assert Run.objects.get(kind=Run.Kind.RECORDED).results.count() == 200
    assert (Annotation.objects.count(), Score.objects.count()) == (200, 200)
