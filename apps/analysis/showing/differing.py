"""What became of a candidate against the baseline: its verdicts, metrics and slices, as lines."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple
from urllib.parse import urlencode

from apps.metrics.compared import Difference, Move, PairedRuns
from apps.metrics.contracts import TOO_FEW, Interval
from apps.runs.queries.figures import family_label
from apps.web.charts import AxisRange, ForestRow, Picture, axis_range, forest
from apps.web.drawing import Unit
from apps.web.states import Tone

from . import words
from .correcting import NOTHING, Pair
from .words import MOVES, VERDICTS, MoveLook, Name, VerdictLook

SLICES_A_PAGE = 25
FAMILIES_SHOWN = 5
FIRST = ("pass_rate", "score", "score_mean")
"""What a comparison is told by, the first of these that it has."""


class Moved(NamedTuple):
    """How many records went one way."""

    move: Move
    look: MoveLook
    n: int

    @property
    def word(self) -> str:
        return self.look.one.lower() if self.n == 1 else self.look.word


@dataclass(frozen=True)
class Line:
    """One difference in words, with the scale that its interval is drawn on."""

    found: Difference
    scale: AxisRange
    corrected: Pair = NOTHING
    """What people's labels make of both values."""

    @property
    def name(self) -> Name:
        return words.name_of(self.found.metric)

    @property
    def unit(self) -> Unit:
        return self.name.unit

    @property
    def unit_of_change(self) -> Unit:
        return words.unit_of_change(self.unit)

    @property
    def narrowed(self) -> str:
        """What an address says of its slice."""
        slice_of = {"family": self.found.family, "value": self.found.value}
        return f"&{urlencode(slice_of)}" if self.found.family else ""

    @property
    def look(self) -> VerdictLook:
        return VERDICTS[self.found.verdict]

    @property
    def tone(self) -> Tone:
        return self.look.tone

    @property
    def change(self) -> str:
        return words.moved(self.found.difference, self.unit)

    @property
    def bounds(self) -> str:
        return words.bounds(self.found.difference, self.unit)

    @property
    def p(self) -> str:
        """Of the difference by itself; empty where nothing was tested."""
        return words.p_value(self.found.p)

    @property
    def p_holm(self) -> str:
        """Adjusted for all slices; empty where this one is none, or too small to be one of them."""
        return words.p_value(self.found.p_adjusted)

    @property
    def despite(self) -> str:
        return words.despite(self.found)

    @property
    def reason(self) -> str:
        return words.reason(self.found)

    @property
    def detectable(self) -> str:
        """Nothing below what a verdict takes: no difference would show there."""
        least = self.found.detectable
        return "" if least is None or self.too_few else words.size(least, self.unit)

    @property
    def moves(self) -> list[Moved]:
        counts = self.found.moves.model_dump()
        return [Moved(move, look, counts[move]) for move, look in MOVES.items()]

    @property
    def too_few(self) -> bool:
        return self.found.n < TOO_FEW

    @property
    def with_errors(self) -> str:
        """The difference when an error counts as a fail."""
        counted = self.found.errors_as_fails
        return words.change(counted.point, self.unit) if counted else ""

    @property
    def has_more(self) -> bool:
        """Whether anything is to be said of the verdict beside its word and its p."""
        found = self.found
        open_still = found.verdict == "inconclusive" and bool(self.detectable)
        errors = bool(self.with_errors) and found.moves.error > 0
        return bool(self.despite or self.reason) or open_still or errors

    @property
    def errors_decide(self) -> VerdictLook | None:
        """What the verdict would be where it would be another with errors as fails."""
        other = self.found.verdict_with_errors
        return VERDICTS[other] if other and other != self.found.verdict else None


@dataclass(frozen=True)
class Told:
    """A candidate in a few words: by one metric, and how many other things went which way."""

    line: Line | None
    verdicts: Sequence[tuple[VerdictLook, int]]

    @property
    def sentence(self) -> str:
        return words.sentence(self.line.found) if self.line else ""

    @property
    def missed(self) -> str:
        return words.missed(self.line.found) if self.line else ""


class Family(NamedTuple):
    name: str
    label: str
    values: int


@dataclass(frozen=True)
class Slices:
    """One page of the slices of a family by a metric; `number` counts from 1."""

    name: Name
    families: Sequence[Family]
    family: Family | None
    lines: Sequence[Line]
    scale: AxisRange
    total: int
    number: int
    pages: int
    tested: int
    """How many Holm's correction counts, of all families."""
    csv: Picture | None = None

    @property
    def unit(self) -> Unit:
        return words.unit_of_change(self.name.unit)

    @property
    def every_page(self) -> range:
        return range(1, self.pages + 1)

    @property
    def is_further(self) -> bool:
        """Whether the family stands in the menu and not beside the others."""
        return self.family in self.families[FAMILIES_SHOWN:]


def told(paired: PairedRuns, metric: str) -> Told:
    found = paired.of(metric)
    counted = Counter(each.verdict for each in _others(paired, found))
    verdicts = [(look, counted[verdict]) for verdict, look in VERDICTS.items() if counted[verdict]]
    return Told(Line(found, scale_of([found])) if found else None, verdicts)


def _others(paired: PairedRuns, told: Difference | None) -> list[Difference]:
    """What says something else of the quality: what moves as many records either way, as a score
    and its pass rate do, is one thing; what moves none, or rounds to nothing, is no news."""
    known = [each for each in paired.whole if _is_share(each) and words.is_told(each)]
    distinct = {(each.moves, each.verdict): each for each in known}
    if told is not None:
        distinct.pop((told.moves, told.verdict), None)
    return [each for each in distinct.values() if each.moves.better or each.moves.worse]


def metrics_of(paired: PairedRuns) -> list[str]:
    return [each.metric for each in paired.whole]


def metric_to_tell(paired: PairedRuns) -> str:
    """What a comparison is told by where nobody chose; empty where there is nothing."""
    metrics = metrics_of(paired)
    return next((name for name in FIRST if name in metrics), next(iter(metrics), ""))


def lines_of(paired: PairedRuns, corrected: Mapping[str, Pair]) -> list[Line]:
    """Each metric of the whole; shares and scores on one scale, each amount on its own."""
    shared = scale_of([each for each in paired.whole if _is_share(each)])
    return [
        Line(
            each,
            shared if _is_share(each) else scale_of([each]),
            corrected.get(each.metric, NOTHING),
        )
        for each in paired.whole
    ]


def slices_of(metric: str, found: Sequence[Difference], family: str, number: int) -> Slices:
    """Of one metric the slices of a family, the largest first; of the first family by default."""
    families = _families(found)
    chosen = next((each for each in families if each.name == family), next(iter(families), None))
    rows = _in_family(found, chosen.name) if chosen else []
    pages = max(1, ceil(len(rows) / SLICES_A_PAGE))
    number = min(max(number, 1), pages)
    start = (number - 1) * SLICES_A_PAGE
    scale = scale_of(rows)
    lines = [Line(each, scale) for each in rows]
    return Slices(
        name=words.name_of(metric),
        families=families,
        family=chosen,
        lines=lines[start : start + SLICES_A_PAGE],
        scale=scale,
        total=len(rows),
        number=number,
        pages=pages,
        tested=sum(each.p_adjusted is not None for each in found),
        csv=forest_of(lines, f"Differences by {chosen.label}") if chosen else None,
    )


def forest_of(lines: Sequence[Line], name: str) -> Picture:
    """Lines of one unit as a forest."""
    rows = [
        ForestRow(
            label=line.found.value or line.name.title,
            interval=line.found.difference,
            tone=line.tone,
            note=f"{line.look.word}, {line.p_holm} by Holm" if line.p_holm else line.look.word,
        )
        for line in lines
    ]
    return forest(rows, unit=lines[0].unit_of_change, name=name, signed=True)


def scale_of(found: Sequence[Difference]) -> AxisRange:
    """Around nothing, as far to the one side as to the other."""
    ends = [end for each in found for end in _ends(each.difference)]
    furthest = max((abs(end) for end in ends), default=0.0) or 1.0
    edge = Interval(
        point=furthest, low=-furthest, high=furthest, n=0, method="", reason="the edge of a scale"
    )
    return axis_range([edge], unit="score")


def _ends(interval: Interval) -> list[float]:
    return [end for end in (interval.low, interval.point, interval.high) if end is not None]


def _is_share(found: Difference) -> bool:
    return words.name_of(found.metric).unit in ("percent", "score")


def _families(found: Sequence[Difference]) -> list[Family]:
    """Those that cut the records in parts first."""
    counted = Counter(each.family for each in found)
    families = [Family(name, family_label(name), n) for name, n in counted.items()]
    return sorted(families, key=lambda family: (family.values < 2, family.label))


def _in_family(found: Sequence[Difference], family: str) -> list[Difference]:
    rows = [each for each in found if each.family == family]
    return sorted(rows, key=lambda each: (-each.n, each.value))
