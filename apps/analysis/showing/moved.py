"""The records behind a comparison by filter: which moved which way, or are in one run alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from apps.analysis.comparing import PairArrays
from apps.analysis.models import Comparison
from apps.datasets.models import FacetMember, Record
from apps.datasets.sight import Sight
from apps.metrics.compared import MOVES, Move
from apps.runs.models import Result, Run
from apps.runs.words import state_word
from apps.web.drawing import Unit

from .wanted import Wanted
from .words import MOVES as MOVE_LOOKS
from .words import MoveLook, amount, name_of

PAGE = 50
DIFFERENT = "different"
ALONE = ("only_baseline", "only_candidate")
_OF_MOVE = {name: place for place, name in enumerate(MOVES)}
_DIFFERENT = [_OF_MOVE["better"], _OF_MOVE["worse"], _OF_MOVE["error"]]

Positions = npt.NDArray[np.int64]
Ordinals = npt.NDArray[np.int32] | npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Place:
    """A record of a comparison by its ordinals; None where a run does not have it."""

    baseline: int | None
    candidate: int | None
    move: Move | None = None
    before: float | None = None
    after: float | None = None

    @property
    def ordinal(self) -> int:
        """By which an address names it."""
        found = self.candidate if self.baseline is None else self.baseline
        assert found is not None, "a record is in one of the runs"
        return found


@dataclass(frozen=True)
class Found:
    """What a filter leaves, in the order of the baseline's records."""

    baseline: npt.NDArray[np.int64]
    candidate: npt.NDArray[np.int64]
    arrays: PairArrays | None = None
    positions: Positions | None = None
    metric: str = ""

    def __len__(self) -> int:
        return max(len(self.baseline), len(self.candidate))

    def at(self, index: int) -> Place:
        before = int(self.baseline[index]) if len(self.baseline) else None
        after = int(self.candidate[index]) if len(self.candidate) else None
        if self.arrays is None or self.positions is None:
            return Place(before, after)
        position = int(self.positions[index])
        left, right = (_known(side[position]) for side in self.arrays.values[self.metric])
        move = MOVES[int(self.arrays.moves[self.metric][position])]
        return Place(before, after, move, left, right)

    def places(self, number: int) -> list[Place]:
        """A page of 50; `number` counts from 1."""
        start = (number - 1) * PAGE
        return [self.at(index) for index in range(start, min(start + PAGE, len(self)))]

    @property
    def pages(self) -> int:
        return max(1, ceil(len(self) / PAGE))

    def place_of(self, ordinal: int) -> Place | None:
        """None where the filter leaves the record out."""
        index = self._index_of(ordinal)
        return None if index is None else self.at(index)

    def page_of(self, ordinal: int) -> int | None:
        """From 1; None where the filter leaves the record out."""
        index = self._index_of(ordinal)
        return None if index is None else index // PAGE + 1

    def neighbours(self, ordinal: int) -> tuple[int | None, int | None]:
        """The ordinals of the records before and after it, inside the filter."""
        before = np.searchsorted(self._ordinals, ordinal, side="left") - 1
        after = np.searchsorted(self._ordinals, ordinal, side="right")
        return self._ordinal_at(int(before)), self._ordinal_at(int(after))

    @property
    def _ordinals(self) -> Positions:
        """By which an address names them: the candidate's where it alone has the records."""
        return self.baseline if len(self.baseline) else self.candidate

    def _index_of(self, ordinal: int) -> int | None:
        places = np.flatnonzero(self._ordinals == ordinal)
        return int(places[0]) if len(places) else None

    def _ordinal_at(self, index: int) -> int | None:
        return int(self._ordinals[index]) if 0 <= index < len(self) else None


class Cell(NamedTuple):
    """What one run made of a record: its value, the word of its state, or why there is neither."""

    value: str
    state: str
    lacks: str = ""


@dataclass(frozen=True)
class Row:
    """A record of the table; `look` is None where it is in one run only."""

    place: Place
    record: Record
    head: str
    look: MoveLook | None
    cells: tuple[Cell, Cell]


def found(comparison: Comparison, arrays: PairArrays, wanted: Wanted, metric: str) -> Found:
    """The records that the filter leaves; three queries at most, none of them per record."""
    if wanted.move in ALONE:
        return _alone(comparison, arrays, wanted)
    kept = _kept(arrays.moves[metric], wanted.move) & _of_slice(comparison, arrays, wanted)
    positions = np.flatnonzero(kept)
    return Found(
        arrays.baseline_ordinals[positions].astype(np.int64),
        arrays.candidate_ordinals[positions].astype(np.int64),
        arrays,
        positions,
        metric,
    )


def counts(
    comparison: Comparison, arrays: PairArrays, wanted: Wanted, metric: str
) -> dict[str, int]:
    """By move how many records `found` would leave, with the same slice and the same search."""
    within = _of_slice(comparison, arrays, wanted)
    tally = np.bincount(arrays.moves[metric][within], minlength=len(MOVES)).tolist()
    told = {
        "": sum(tally),
        DIFFERENT: sum(tally[place] for place in _DIFFERENT),
        **dict(zip(MOVES, tally, strict=True)),
    }
    if not wanted.family:
        told |= {move: _count_alone(comparison, arrays, wanted, move) for move in ALONE}
    return told


def _count_alone(comparison: Comparison, arrays: PairArrays, wanted: Wanted, move: str) -> int:
    """What was counted already, unless some are looked for."""
    if not wanted.q and comparison.body is not None:
        return int(comparison.body["shared"][move])
    return len(_alone(comparison, arrays, wanted.model_copy(update={"move": move})))


def rows_of(comparison: Comparison, places: Sequence[Place], metric: str) -> list[Row]:
    """The lines of a page; three queries."""
    runs = (comparison.baseline, comparison.candidate)
    ordinals = (
        [place.baseline for place in places if place.baseline is not None],
        [place.candidate for place in places if place.candidate is not None],
    )
    has_them = 0 if ordinals[0] else 1
    records = _records(runs[has_them], ordinals[has_them])
    states = [_states(run, own) for run, own in zip(runs, ordinals, strict=True)]
    sight, unit = Sight(comparison.baseline.workspace), name_of(metric).unit
    return [_row(place, records[place.ordinal], states, sight, unit) for place in places]


def _row(
    place: Place,
    record: Record,
    states: Sequence[Mapping[int | None, str]],
    sight: Sight,
    unit: Unit,
) -> Row:
    cells = (
        _cell(place.baseline, place.before, states[0], unit),
        _cell(place.candidate, place.after, states[1], unit),
    )
    look = MOVE_LOOKS[place.move] if place.move else None
    return Row(place, record, sight.text(record.head), look, cells)


def _cell(
    ordinal: int | None, value: float | None, states: Mapping[int | None, str], unit: Unit
) -> Cell:
    if ordinal is None:
        return Cell("", "", "not there")
    if value is not None:
        return Cell(amount(value, unit), "")
    return Cell("", states.get(ordinal, ""), "not asked")


def _kept(codes: npt.NDArray[np.int8], move: str) -> Booleans:
    if move == DIFFERENT:
        return np.isin(codes, _DIFFERENT)
    if move in _OF_MOVE:
        return np.asarray(codes == _OF_MOVE[move], dtype=np.bool_)
    return np.full(len(codes), True)


def _alone(comparison: Comparison, arrays: PairArrays, wanted: Wanted) -> Found:
    """Records that one of the runs was to ask, and that have no partner in the other."""
    from apps.analysis.comparing.loading import planned_ordinals  # brings pandas: slow to load

    ours = wanted.move == ALONE[0]
    run = comparison.baseline if ours else comparison.candidate
    shared = arrays.baseline_ordinals if ours else arrays.candidate_ordinals
    ordinals = np.setdiff1d(planned_ordinals(run), shared)
    ordinals = ordinals[_in_slice(run, ordinals, wanted) & _named(run, ordinals, wanted)]
    nothing = np.empty(0, dtype=np.int64)
    return Found(ordinals, nothing) if ours else Found(nothing, ordinals)


def _of_slice(comparison: Comparison, arrays: PairArrays, wanted: Wanted) -> Booleans:
    """Of each pair, as it was counted: slices are those of the candidate's dataset version, the
    ids those that pages show, the baseline's."""
    kept = _in_slice(comparison.candidate, arrays.candidate_ordinals, wanted)
    return kept & _named(comparison.baseline, arrays.baseline_ordinals, wanted)


def _in_slice(run: Run, ordinals: Ordinals, wanted: Wanted) -> Booleans:
    if not wanted.family:
        return np.full(len(ordinals), True)
    members = FacetMember.objects.filter(
        facet__version=run.dataset_version_id,
        facet__family=wanted.family,
        facet__value=wanted.value,
    )
    return _among(ordinals, members.values_list("ordinal", flat=True))


def _named(run: Run, ordinals: Ordinals, wanted: Wanted) -> Booleans:
    """Whose records are named like what is looked for."""
    if not wanted.q:
        return np.full(len(ordinals), True)
    like = Record.objects.filter(version=run.dataset_version_id, record_id__icontains=wanted.q)
    return _among(ordinals, like.values_list("ordinal", flat=True))


def _among(ordinals: Ordinals, some: Iterable[int]) -> Booleans:
    return np.isin(ordinals, np.fromiter(some, dtype=np.int64))


def _records(run: Run, ordinals: Sequence[int]) -> dict[int, Record]:
    """Without what was asked in full."""
    rows = Record.objects.filter(version=run.dataset_version_id, ordinal__in=ordinals)
    return {row.ordinal: row for row in rows.defer("payload")}


def _states(run: Run, ordinals: Sequence[int]) -> dict[int | None, str]:
    """Of the first try of each."""
    rows = Result.objects.filter(run=run, ordinal__in=ordinals).order_by("ordinal", "-trial")
    return {
        ordinal: state_word(status, verdict)
        for ordinal, status, verdict in rows.values_list("ordinal", "status", "verdict")
    }


def _known(value: np.float32) -> float | None:
    return None if np.isnan(value) else float(value)
