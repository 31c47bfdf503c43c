"""The slices that a check looked at, one by one, as pages and reports list them."""

from dataclasses import dataclass

from apps.analysis.gates.contracts import Check, Decided, SeenSlice
from apps.analysis.gates.telling.linking import slice_page
from apps.analysis.gates.telling.spelling import bounds_of, difference_of
from apps.analysis.gates.telling.wording import word_of
from apps.metrics.gating.words import counted
from apps.runs.queries.figures import family_label

FOLDED_FROM = 13
"""As many slices as this are folded away until somebody asks."""


@dataclass(frozen=True)
class SliceLine:
    family: str
    value: str
    n: int
    word: str
    difference: str
    bounds: str
    page: str


@dataclass(frozen=True)
class Looked:
    """All of a check's, the worst first."""

    title: str
    lines: tuple[SliceLine, ...]

    @property
    def is_folded(self) -> bool:
        return len(self.lines) >= FOLDED_FROM


def looked_of(check: Check, decided: Decided, slug: str) -> Looked | None:
    """None of a check that is of no slices, or of before they were kept."""
    if not check.slices:
        return None
    lines = tuple(_line(check, each, decided, slug) for each in check.slices)
    return Looked(f"{counted(len(lines), 'slice')}, one by one", lines)


def _line(check: Check, seen: SeenSlice, decided: Decided, slug: str) -> SliceLine:
    return SliceLine(
        family=family_label(seen.family),
        value=seen.value,
        n=seen.difference.n,
        word=word_of(seen),
        difference=difference_of(check, seen),
        bounds=bounds_of(check, seen),
        page=slice_page(check, seen, decided, slug),
    )
