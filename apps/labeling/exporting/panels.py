"""Panels: the retrieved passages of one query, and how many of them people have answered. Pure."""

from collections import Counter
from collections.abc import Iterable

from apps.contract import Contract

BUCKETS = ("<5", "5", ">5")


class Panel(Contract):
    """`retrieved` passages (K), of which `seen` are asked about.

    A passage is submitted where somebody labelled it, discarded where people only abstained.
    """

    retrieved: int
    seen: int = 0
    submitted: int = 0
    discarded: int = 0

    @property
    def annotated(self) -> int:
        return self.submitted + self.discarded

    @property
    def complete(self) -> bool:
        """Every one of the K passages has a submitted answer: a discard is an abstention."""
        return 0 < self.retrieved == self.submitted

    @property
    def is_known(self) -> bool:
        """Whether the record has the passages that people answered."""
        return self.seen <= self.retrieved

    @property
    def bucket(self) -> str:
        return "5" if self.retrieved == 5 else "<5" if self.retrieved < 5 else ">5"


class Completeness(Contract):
    """Of all panels, by how many passages they have; `status` is failed where one is not known."""

    summary: dict[str, dict[str, int]]
    status: str


NOT_REQUESTED = Completeness(summary={}, status="not_requested")


def completeness_of(panels: Iterable[Panel]) -> Completeness:
    found = list(panels)
    n = Counter(panel.bucket for panel in found)
    complete = Counter(panel.bucket for panel in found if panel.complete)
    return Completeness(
        summary={name: {"panels": n[name], "complete": complete[name]} for name in BUCKETS},
        status="ok" if all(panel.is_known for panel in found) else "failed",
    )
