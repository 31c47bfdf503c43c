"""How many records a difference takes, and what there is shows."""

from dataclasses import dataclass

from apps.metrics.contracts import TOO_FEW
from apps.metrics.planned import Needed
from apps.metrics.planning import detectable_by, records_for_interval, records_needed

from .grounds import Ground

USUAL = (1.0, 2.0, 3.0, 5.0, 10.0)
"""Points."""


@dataclass(frozen=True)
class Row:
    """For so many points: records that show such a difference, and that give an interval of
    plus or minus as much."""

    points: float
    needed: Needed
    interval: int | None
    enough: bool
    asked: bool

    @property
    def name(self) -> str:
        return f"{self.points:g} {'point' if self.points == 1 else 'points'}"


@dataclass(frozen=True)
class Records:
    """`detectable` is in points, None where it is not known, or no verdict is given on so few."""

    wanted: Row
    rows: tuple[Row, ...]
    n: int
    lacking: int | None
    detectable: float | None

    @property
    def fewest(self) -> int:
        """On fewer records no verdict is given."""
        return TOO_FEW

    @property
    def is_least(self) -> bool:
        """Whether some difference would take fewer, if a verdict were given on them."""
        return any(row.needed.n == TOO_FEW for row in self.rows)


def records_for(ground: Ground, points: float) -> Records:
    rows = tuple(_row(ground, each, points) for each in sorted({*USUAL, points}))
    wanted = next(row for row in rows if row.asked)
    least = detectable_by(ground.discordance, ground.n, binary=ground.binary, design=ground.design)
    return Records(
        wanted=wanted,
        rows=rows,
        n=ground.n,
        lacking=None if wanted.needed.n is None else max(0, wanted.needed.n - ground.n),
        detectable=None if least is None else 100 * min(1.0, least),
    )


def _row(ground: Ground, points: float, asked: float) -> Row:
    found = records_needed(
        points / 100, ground.discordance, binary=ground.binary, design=ground.design
    )
    return Row(
        points=points,
        needed=found,
        interval=records_for_interval(
            ground.interval, points / 100, records=ground.records, is_rate=ground.is_rate
        ),
        enough=found.n is not None and found.n <= ground.n,
        asked=points == asked,
    )
