"""The lines of a leaderboard."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.analysis.calibration.known import Corrected, corrected_of_many
from apps.metrics.contracts import TOO_FEW
from apps.metrics.ranked import Board, Ranked
from apps.runs.models import Run
from apps.runs.queries import RunRow, rows_of
from apps.web.charts import AxisRange, axis_range

from .changing import Kind, kinds_of


@dataclass(frozen=True)
class Line:
    """A run of the board, in words."""

    row: RunRow
    ranked: Ranked
    opens_group: bool = False
    corrected: Corrected | None = None

    @property
    def rank(self) -> str:
        """1, or 1–3 where no test tells it apart from others."""
        first, last = self.ranked.first, self.ranked.last
        return str(first) if first == last else f"{first}–{last}"

    @property
    def tied(self) -> bool:
        return self.ranked.first != self.ranked.last

    @property
    def too_few(self) -> bool:
        return self.ranked.estimate.n < TOO_FEW * self.row.run.trials


@dataclass(frozen=True)
class Shown:
    """A board with its runs: the lines in their order, and those that have no value."""

    board: Board
    lines: Sequence[Line]
    left_out: Sequence[Run]

    @property
    def scale(self) -> AxisRange:
        """Rates and scores both lie between 0 and 1."""
        return axis_range([line.ranked.estimate for line in self.lines])

    @property
    def is_judged(self) -> bool:
        return any(line.corrected is not None for line in self.lines)

    @property
    def is_judged_in_part(self) -> bool:
        return self.is_judged and any(line.corrected is None for line in self.lines)

    @property
    def fewest(self) -> int:
        """Two runs that share fewer records are tied."""
        return TOO_FEW

    @property
    def shares_too_few(self) -> bool:
        return self.all_tied and self.board.shared < TOO_FEW

    @property
    def kinds(self) -> list[Kind]:
        return kinds_of(self.board)

    @property
    def changing(self) -> int:
        """Records that passed in some runs and failed in others."""
        return sum(kind.n for kind in self.kinds)

    @property
    def all_tied(self) -> bool:
        return len(self.lines) > 1 and all(line.ranked.group == 1 for line in self.lines)


def shown(board: Board, runs: Sequence[Run]) -> Shown:
    """A few queries; `runs` are exactly those of the board, each seen by whoever asks."""
    rows = {row.run.pk: row for row in rows_of(runs)}
    corrected = corrected_of_many(runs, board.metric)
    groups = [None, *(ranked.group for ranked in board.ranks)]
    lines = [
        Line(rows[ranked.run], ranked, before not in (None, ranked.group), corrected[ranked.run])
        for before, ranked in zip(groups, board.ranks, strict=False)
    ]
    return Shown(board, lines, [rows[key].run for key in board.left_out])
