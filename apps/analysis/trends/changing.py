"""The records that pass in some runs of a leaderboard and fail in others, by how they do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from apps.datasets.models import Record
from apps.metrics.ranked import Board, Flicker, Mixed
from apps.runs.models import Result, ResultStatus, Run
from apps.web.states import Tone

FLICKERS_A_PAGE = 25
_JUDGED = ("passed", "failed")


class Look(NamedTuple):
    tone: Tone
    icon: str


OUTCOMES = {
    "passed": Look("ok", "check"),
    "some": Look("warn", "minus"),
    "failed": Look("bad", "x"),
}


class KindLook(NamedTuple):
    """`counts` says it of so many records."""

    title: str
    counts: str
    says: str


KINDS: dict[Mixed, KindLook] = {
    "flickers": KindLook(
        "Flicker",
        "flickers,flicker",
        "The verdict goes to and fro from run to run of a target, or is not the same in two runs "
        "of one version of it: chance has a part in it.",
    ),
    "changed": KindLook(
        "Changed once",
        "changed once",
        "From one version of a target on the verdict is another: a regression or a repair, no "
        "flicker.",
    ),
    "differs": KindLook(
        "Differ by target",
        "differs by target,differ by target",
        "Some targets pass and others fail, each of them always: targets differ, nothing flickers.",
    ),
}


class Kind(NamedTuple):
    """One kind of records, and how many there are."""

    key: Mixed
    look: KindLook
    n: int


class Tries(NamedTuple):
    """What a run made of a record: so many of its judged tries passed."""

    run: Run
    passed: int
    judged: int

    @property
    def outcome(self) -> str:
        """A key of OUTCOMES, empty where the record was not judged."""
        if not self.judged:
            return ""
        return "passed" if self.passed == self.judged else "some" if self.passed else "failed"

    @property
    def look(self) -> Look:
        return OUTCOMES[self.outcome]

    @property
    def says(self) -> str:
        several = f" in {self.passed} of {self.judged} trials" if self.judged > 1 else ""
        return f"{'Passed' if self.passed else 'Failed'}{several}: {self.run.title}"


@dataclass(frozen=True)
class Flickering:
    """A record with what each run of the board made of it, the oldest first."""

    record: Record
    flicker: Flicker
    tries: Sequence[Tries]


@dataclass(frozen=True)
class FlickerPage:
    """The records of one kind, and the runs, the oldest first.

    `number` of `pages` counts from 1; `listed` of the records can be turned to.
    """

    kind: Kind
    kinds: Sequence[Kind]
    runs: Sequence[Run]
    rows: Sequence[Flickering]
    listed: int
    number: int
    pages: int

    @property
    def previous(self) -> int | None:
        return self.number - 1 if self.number > 1 else None

    @property
    def next(self) -> int | None:
        return self.number + 1 if self.number < self.pages else None


def kinds_of(board: Board) -> list[Kind]:
    """With those that there are none of."""
    counts = {
        "flickers": board.flickering,
        "changed": board.changed,
        "differs": board.differing,
    }
    return [Kind(key, look, counts[key]) for key, look in KINDS.items()]


def flickers(board: Board, runs: Sequence[Run], kind: str, number: int) -> FlickerPage:
    """A page of the records of a kind, else of the first that there is; two queries."""
    kinds = kinds_of(board)
    chosen = next((each for each in kinds if each.key == kind), None)
    chosen = chosen or next((each for each in kinds if each.n), kinds[0])
    listed = [each for each in board.flickers if each.kind == chosen.key]
    pages = max(1, ceil(len(listed) / FLICKERS_A_PAGE))
    number = min(number, pages)
    start = (number - 1) * FLICKERS_A_PAGE
    rows = _rows(listed[start : start + FLICKERS_A_PAGE], runs)
    return FlickerPage(chosen, kinds, runs, rows, len(listed), number, pages)


def _rows(chosen: Sequence[Flicker], runs: Sequence[Run]) -> list[Flickering]:
    ordinals = [each.ordinal for each in chosen]
    records = _records(runs, ordinals)
    counted = _counted(runs, ordinals)
    return [
        Flickering(
            records[each.ordinal],
            each,
            [Tries(run, *counted.get((run.pk, each.ordinal), (0, 0))) for run in runs],
        )
        for each in chosen
        if each.ordinal in records
    ]


def _records(runs: Sequence[Run], ordinals: Sequence[int]) -> Mapping[int, Record]:
    if not ordinals:
        return {}
    rows = Record.objects.filter(version=runs[0].dataset_version_id, ordinal__in=ordinals)
    return {row.ordinal: row for row in rows.defer("payload")}


def _counted(
    runs: Sequence[Run], ordinals: Sequence[int]
) -> Mapping[tuple[str, int], tuple[int, int]]:
    """Of each run and record: tries that passed, and tries that were judged."""
    found: dict[tuple[str, int], tuple[int, int]] = {}
    judged = Result.objects.filter(run__in=runs, status=ResultStatus.COMPLETED)
    rows = judged.filter(ordinal__in=ordinals, verdict__in=_JUDGED)
    for run, ordinal, verdict in rows.values_list("run", "ordinal", "verdict"):
        passed, tries = found.get((run, ordinal), (0, 0))
        found[run, ordinal] = (passed + (verdict == "passed"), tries + 1)
    return found
