"""Asking for a board: the stored one, or one that is computed by whoever comes first."""

from collections.abc import Sequence

from apps.analysis.comparing import IN_REQUEST
from apps.analysis.models import Board
from apps.artifacts.canonical import canonical, sha256_hex
from apps.jobs.asking import by_a_worker, done_here, try_again
from apps.jobs.models import JobState
from apps.runs.models import Run

ALGORITHM = 4
"""A higher number makes every board anew."""


def asked(runs: Sequence[Run], metric: str) -> Board:
    """The board of exactly these ended runs of one version, given the newest first.

    What is light is computed here; else `body` is None until a worker has come. Verdicts and scores
    of an ended run never change, so its runs and its metric are all that a board hangs on; one of
    other runs is another board, and whoever asks sees all of its runs.
    """
    keys = [run.pk for run in runs]
    board, _ = Board.objects.get_or_create(
        version_id=runs[0].dataset_version_id,
        key=sha256_hex(canonical([ALGORITHM, metric, *keys])),
        defaults={"metric": metric, "runs": keys},
    )
    if board.state == JobState.FAILED and try_again(Board.objects.filter(pk=board.pk)):
        board.refresh_from_db()
    if board.is_open and sum(run.planned for run in runs) <= IN_REQUEST:
        done_here(board)
        board.refresh_from_db()
    if board.is_open:
        by_a_worker(Board)
    return board
