"""What is stored of a campaign's labels: agreement, people, consensus; nothing here computes."""

from datetime import datetime
from typing import Literal

from apps.contract import Contract
from apps.metrics.contracts import Interval
from apps.metrics.labels import Agreement, Level, Marginal, Pairs

ScopeName = Literal["calibration", "overlap"]
"""Only the items that everybody labels, or all that two people have labelled."""


class Figures(Contract):
    """The agreement on some of the items; each None where there are too few to say."""

    items: int
    percent: Interval | None = None
    alpha: Interval | None = None
    ac1: Interval | None = None


class Part(Contract):
    """The items that were completed from `start` to `end`: when their last label was given."""

    start: datetime
    end: datetime
    figures: Figures


class OverTime(Contract):
    """`undated` items have no label that says when it was given; `why` there are no parts."""

    by: Literal["day", "part", "none"]
    parts: tuple[Part, ...] = ()
    undated: int = 0
    why: str = ""


class SliceFigures(Contract):
    value: str
    figures: Figures


class FamilyFigures(Contract):
    """The slices of a family with the most items; `left_out` says how many more there are."""

    family: str
    slices: tuple[SliceFigures, ...]
    left_out: int = 0


class Asked(Contract):
    """A question as it was when it was measured."""

    id: int
    task: str
    name: str
    title: str
    kind: str
    level: Level

    @property
    def label(self) -> str:
        return " / ".join(part for part in (self.task, self.name) if part)


class QuestionAgreement(Contract):
    asked: Asked
    agreement: Agreement
    pairs: Pairs
    over_time: OverTime
    families: tuple[FamilyFigures, ...]


class ScopeAgreement(Contract):
    scope: ScopeName
    questions: tuple[QuestionAgreement, ...]


class CampaignAgreement(Contract):
    """The first scope is that of the calibration share, where the campaign has one.

    `texts` names questions in free words, of which no agreement can be computed.
    """

    labels: int
    people: int
    scopes: tuple[ScopeAgreement, ...]
    texts: tuple[str, ...] = ()


class Pace(Contract):
    """Answers (an item of a task each) an hour of work: breaks do not count."""

    per_hour: float | None
    answers: int
    hours: float
    why: str = ""


class PersonOnQuestion(Contract):
    question: int
    labels: int
    marginals: tuple[Marginal, ...]
    undecided: int
    alone: int
    consensus: Interval
    gold: Interval


class Person(Contract):
    """What one person did. `consensus` and `gold` are over all questions.

    One person's answers about one item hang together: their intervals are as wide as if each item
    had been asked about once. `yes` is the share of yes among the answers to yes-or-no questions.
    """

    annotator: str
    labels: int
    discards: tuple[Marginal, ...]
    consensus: Interval
    gold: Interval
    yes: Interval
    pace: Pace
    questions: tuple[PersonOnQuestion, ...]


class People(Contract):
    """Those with the most labels first; `left_out` says how many are not listed."""

    listed: tuple[Person, ...]
    left_out: int = 0


class QuestionConsensus(Contract):
    """What became of the labels of a question.

    units = reviewed + known + agreed + Σ unsettled, by why; `single` of the agreed ones rest on
    one person's label. `labels` are those of the settled ones.
    """

    asked: Asked
    units: int
    reviewed: int
    agreed: int
    single: int
    known: int = 0
    unsettled: tuple[Marginal, ...]
    labels: tuple[Marginal, ...]


class CampaignConsensus(Contract):
    questions: tuple[QuestionConsensus, ...]


class Measured(Contract):
    """All reports of a campaign; each field is one, kept under its name."""

    agreement: CampaignAgreement
    people: People
    consensus: CampaignConsensus
