"""The judges of a campaign, each held against a question: what its page and the API tell."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from apps.analysis.models import Calibration
from apps.labeling.models import Campaign, Question
from apps.metrics.contracts import Interval
from apps.metrics.labels import Calibration as Numbers
from apps.web.charts import Picture, confusion_matrix, reliability_diagram

from .frames import PASSES
from .matching import judges_content
from .resting import OWN_METHODS

METHODS = {
    "ppi++": "people's labels with the judge's verdicts on the rest (PPI++)",
    "rogan-gladen": "by the judge's rates of error (Rogan-Gladen)",
}


class Rate(NamedTuple):
    """A rate with what it is of."""

    name: str
    of: str
    value: Interval


@dataclass(frozen=True)
class Line:
    """A judge against a question, with its numbers.

    `verdict`: the contract's, which this rule alone makes and nobody has said to ask the same.
    """

    row: Calibration
    numbers: Numbers
    verdict: Calibration | None = None

    @property
    def is_calibrated(self) -> bool:
        """Whether anybody has looked, at a question that it answers."""
        return self.row.matched and self.numbers.is_calibrated

    @property
    def judges_content(self) -> bool:
        return not self.row.rule or judges_content(self.row.verifier)

    @property
    def method(self) -> str:
        """How the rate was corrected, in words."""
        return METHODS.get(self.numbers.method, self.numbers.method)

    @property
    def terms(self) -> str:
        """From where people and judge pass an answer, in words."""
        least = (
            "" if self._least is None else f"; the judge passes it from the score {self._least:g}"
        )
        return f"People pass an answer {self._people}{least}"

    @property
    def rates(self) -> tuple[Rate, ...]:
        """The judge's rates of being right, then those of passing."""
        n = self.numbers
        return (
            Rate("Passes what people pass", "sensitivity", n.sensitivity),
            Rate("Fails what people fail", "specificity", n.specificity),
            Rate("Right where it passes", "precision", n.precision),
            Rate("Passed by the judge", "of all that it judged", n.raw),
            Rate("Passed by people", "of what they labelled", n.human),
            Rate("Corrected by people", "of all that was judged", n.corrected),
        )

    @property
    def matrix(self) -> Picture:
        return confusion_matrix(self.numbers.confusion, name=f"{self.row.name} and people")

    @property
    def diagram(self) -> Picture | None:
        """None where there is nothing to draw a line through."""
        found = self.numbers.reliability
        if found is None or sum(each.score is not None for each in found.bins) < 2:
            return None
        return reliability_diagram(found, name=f"Scores of {self.row.name}")

    @property
    def _least(self) -> float | None:
        """None where the judge's own verdicts count."""
        if self.row.method in ("", *OWN_METHODS):
            return self.row.threshold
        return PASSES if self.row.threshold is None else self.row.threshold

    @property
    def _people(self) -> str:
        row, kind = self.row, self.row.question.kind
        said = f"where they say {'no' if row.yes_fails else 'yes'}"
        if kind == Question.Kind.YES_NO:
            return said
        if row.passes_from is None:
            half = f"in the {'lower' if row.yes_fails else 'upper'} half of the scale"
            return half if kind == Question.Kind.RATING else said
        label = f"{'below' if row.yes_fails else 'from'} the label {row.passes_from:g}"
        return label if kind == Question.Kind.RATING else f"{said}, or {label}"


def lines_of(campaign: Campaign) -> list[Line]:
    """Those that ask the same first, then those with the most labels; one query."""
    rows = (
        Calibration.objects.filter(campaign=campaign)
        .exclude(body=None)
        .select_related("question", "declared_by")
    )
    lines = [Line(row, Numbers.model_validate(row.body)) for row in rows]
    return sorted(lines, key=_rank)


def with_verdicts(lines: Iterable[Line], alone: str) -> list[Line]:
    """`alone` is the rule that makes the contract's verdict by itself, if any."""
    listed = list(lines)
    open_ones = {
        line.row.question_id: line.row
        for line in listed
        if not line.row.rule and not line.row.matched
    }
    return [
        replace(line, verdict=open_ones.get(line.row.question_id))
        if alone and line.row.rule == alone and line.row.matched
        else line
        for line in listed
    ]


def is_weighted(campaign: Campaign) -> bool:
    """Whether its items were drawn with probabilities that differ: rates are weighted by them."""
    drawn = campaign.items.exclude(probability=None)
    return drawn.values("probability").distinct()[:2].count() > 1


def _rank(line: Line) -> tuple[bool, int, str]:
    return not line.row.matched, -line.numbers.confusion.n, line.row.name
