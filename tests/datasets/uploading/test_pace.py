"""How fast an upload is going, in words."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.datasets.models import Upload
from apps.datasets.uploading.pace import Pace, in_words, of, pace, records_a_second
from tests.datasets.documents import accepted, document, record

NOW = timezone.now()


def test_the_rate_tells_how_long_the_rest_takes() -> None:
    found = of(done=25, total=100, seconds=5, records=50)

    assert found == Pace(rate=10.0, seconds_left=15.0)


@pytest.mark.parametrize(("done", "seconds"), [(0, 60), (50, 0.5), (50, 0)])
def test_at_the_beginning_nothing_is_said(done: int, seconds: float) -> None:
    assert of(done, 100, seconds, records=5).left == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "a few seconds left"),
        (12, "about 10 seconds left"),
        (50, "about 1 minute left"),
        (118, "about 2 minutes left"),
        (2_000, "about 35 minutes left"),
    ],
)
def test_the_time_left_is_rounded(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


def test_an_upload_that_is_read_tells_records_a_second() -> None:
    started_at = NOW - timedelta(seconds=10)
    upload = Upload(
        state="running", done=300, total=900, started_at=started_at, counts={"total": 300}
    )

    assert pace(upload, NOW) == Pace(rate=30.0, seconds_left=20.0)


def test_an_upload_that_waits_has_no_pace() -> None:
    assert pace(Upload(state="pending", total=900), NOW) == Pace()


def test_storing_is_as_quick_as_the_last_uploads_were(workspace: Workspace) -> None:
    before = accepted(workspace, document(*[record(number) for number in range(100)]))
    read_at = NOW - timedelta(seconds=2)
    Upload.objects.filter(pk=before.pk).update(read_at=read_at, finished_at=NOW)
    storing = Upload(
        state="running", done=9, total=9, read_at=NOW, counts={"accepted": 500, "total": 500}
    )

    found = pace(storing, NOW + timedelta(seconds=4))

    assert found == Pace(rate=50.0, seconds_left=6.0)


def test_where_nothing_was_stored_before_nothing_is_said(workspace: Workspace) -> None:
    storing = Upload(state="running", done=9, total=9, read_at=NOW, counts={"accepted": 500})

    assert pace(storing, NOW) == Pace()


def test_an_upload_that_ended_tells_records_a_second() -> None:
    started = NOW - timedelta(seconds=4)
    ended = Upload(counts={"total": 100}, started_at=started, finished_at=NOW)

    assert records_a_second(ended) == 25.0
    assert records_a_second(Upload(counts={"total": 100})) is None
