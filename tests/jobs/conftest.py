"""Jobs that do what a test says: uploads that this module handles."""

from collections.abc import Callable
from typing import Any

import pytest

from apps.accounts.models import Workspace
from apps.datasets.models import Upload
from apps.datasets.uploading import uploads
from apps.jobs.leases import Lease
from apps.jobs.models import Job

Does = Callable[[Job, Lease], None]
MakeJob = Callable[..., Upload]

_work: dict[str, Does] = {}


def perform(upload: Upload, lease: Lease) -> None:
    _work[upload.pk](upload, lease)


def give_up(upload: Upload, error: str) -> None:
    uploads.give_up(upload, error)


def rest(job: Job, lease: Lease) -> None:
    """A job that has nothing to do."""


@pytest.fixture
def make_job(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> MakeJob:
    monkeypatch.setattr(Upload, "handler", __name__)

    def make(does: Does = rest, **columns: Any) -> Upload:
        job = Upload.objects.create(
            workspace=workspace, purpose="drill", identity="0" * 64, name="drill", **columns
        )
        _work[job.pk] = does
        return job

    return make


def now_is(job: Upload) -> Upload:
    """The row as it is now."""
    return Upload.objects.get(pk=job.pk)
