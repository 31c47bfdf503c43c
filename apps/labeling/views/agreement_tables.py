"""The stored agreement of a campaign as the tables of its page."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from apps.labeling.analysing.contracts import (
    Asked,
    CampaignConsensus,
    FamilyFigures,
    Figures,
    Measured,
    Person,
    PersonOnQuestion,
    QuestionAgreement,
    ScopeAgreement,
)
from apps.metrics.contracts import TOO_FEW, Interval
from apps.metrics.labels import Marginal, PairAgreement
from apps.runs.queries.figures import family_label
from apps.web.charts import AxisRange, axis_range
from apps.web.drawing import Unit

MOST_SHARES = 4
MOST_PEOPLE = 50
ANSWERS = {"true": "yes", "false": "no"}
SCOPES = {"overlap": "All shared items", "calibration": "Calibration share"}
"""All of them first: it is what the other numbers of the page are about."""
UNSETTLED = {
    "tie": "tied",
    "split": "undecided",
    "too_few": "waiting for people",
    "discarded": "discarded, nobody left",
    "adjudicate": "to be decided",
    "text": "free words",
}


class Chosen(NamedTuple):
    """What somebody looks at, as the address says it."""

    scope: str = ""
    question: str = ""
    family: str = ""


class Measure(NamedTuple):
    name: str
    interval: Interval
    unit: Unit
    what: str


class Share(NamedTuple):
    label: str
    n: int
    share: float


class QuestionRow(NamedTuple):
    one: QuestionAgreement
    measures: Sequence[Measure]
    shares: Sequence[Share]
    further: int
    explanation: str
    is_chosen: bool
    too_few: bool


class Outcome(NamedTuple):
    """What became of a question; `unsettled` in words."""

    asked: Asked
    units: int
    agreed: int
    single: int
    reviewed: int
    known: int
    unsettled: Sequence[Share]
    shares: Sequence[Share]


class PersonRow(NamedTuple):
    """`discards` by their reason."""

    name: str
    person: Person
    discards: Sequence[Share]

    @property
    def too_few(self) -> bool:
        return self.person.consensus.n < TOO_FEW


class PersonOnRow(NamedTuple):
    name: str
    shares: Sequence[Share]
    on: PersonOnQuestion

    @property
    def too_few(self) -> bool:
        return self.on.consensus.n < TOO_FEW


class PairRow(NamedTuple):
    first: str
    second: str
    on: PairAgreement


def tables(measured: Measured, chosen: Chosen, names: Mapping[str, str]) -> dict[str, Any]:
    """All that the page shows of the numbers; `names` of people by those of their labels."""
    scope = _scope(measured, chosen.scope)
    question = _question(scope, chosen.question)
    people = measured.people.listed[:MOST_PEOPLE]
    shared = {each.scope: _most_shared(each) for each in measured.agreement.scopes}
    return {
        "scopes": [(each, words) for each, words in SCOPES.items() if each in shared],
        "shared": shared,
        "scope": scope,
        "questions": _questions(scope, question),
        "scale": _scale(_measured(scope)),
        "next_step": _next_step(measured),
        "outcomes": _outcomes(measured.consensus),
        "settled": _settled(measured.consensus),
        "people": [
            PersonRow(names.get(each.annotator, each.annotator), each, shares_of(each.discards))
            for each in people
        ],
        "people_scale": _scale(
            [each.consensus for each in people if each.consensus.n >= TOO_FEW], lowest=0.5
        ),
        "people_left_out": len(measured.people.listed) - len(people) + measured.people.left_out,
        **(_in_detail(question, measured, chosen.family, names) if question else {}),
    }


def shares_of(counts: Sequence[Marginal]) -> list[Share]:
    """The most frequent first; yes and no in words."""
    total = sum(each.count for each in counts)
    ranked = sorted(counts, key=lambda each: -each.count)
    return [
        Share(ANSWERS.get(each.label, each.label), each.count, each.count / total)
        for each in ranked
    ]


def _scope(measured: Measured, name: str) -> ScopeAgreement:
    by_name = {each.scope: each for each in measured.agreement.scopes}
    return next(by_name[each] for each in (name, *SCOPES) if each in by_name)


def _most_shared(scope: ScopeAgreement) -> int:
    """Items of the question that most people share."""
    return max((each.agreement.items for each in scope.questions), default=0)


def _question(scope: ScopeAgreement, asked: str) -> QuestionAgreement | None:
    """The chosen one, else the first that two people have answered."""
    named = (one for one in scope.questions if str(one.asked.id) == asked)
    shared = (one for one in scope.questions if one.agreement.items)
    return next(named, next(shared, None))


def _questions(scope: ScopeAgreement, chosen: QuestionAgreement | None) -> list[QuestionRow]:
    return [_question_row(one, one is chosen) for one in scope.questions]


def _question_row(one: QuestionAgreement, is_chosen: bool) -> QuestionRow:
    shares = shares_of(one.agreement.marginals)
    return QuestionRow(
        one=one,
        measures=measures_of(one.agreement.percent, one.agreement.alpha, one.agreement.ac1),
        shares=shares[:MOST_SHARES],
        further=len(shares[MOST_SHARES:]),
        explanation=_in_words(one.agreement.explanation),
        is_chosen=is_chosen,
        too_few=one.agreement.items < TOO_FEW,
    )


def _in_words(explanation: str) -> str:
    for label, word in ANSWERS.items():
        explanation = explanation.replace(f"“{label}”", f"“{word}”")
    return explanation


def measures_of(percent: Interval, alpha: Interval, ac1: Interval) -> list[Measure]:
    return [
        Measure("Agree", percent, "percent", "Percent agreement"),
        Measure("Alpha", alpha, "score", "Krippendorff's alpha"),
        Measure("AC1", ac1, "score", "Gwet's AC1"),
    ]


def _measured(scope: ScopeAgreement) -> list[Interval]:
    found = [one.agreement for one in scope.questions if one.agreement.items >= TOO_FEW]
    return [each for one in found for each in (one.percent, one.alpha, one.ac1)]


def _scale(found: Iterable[Interval | None], lowest: float = 0.0) -> AxisRange:
    """One axis for all, up to full agreement."""
    known = [each for each in found if each is not None and each.point is not None]
    return axis_range(known, also=[lowest, 1.0], unit="score")


def _next_step(measured: Measured) -> str:
    """What stands in the way of any agreement: nobody, one person, or nothing shared."""
    if not measured.agreement.labels:
        return "nobody"
    if measured.agreement.people == 1:
        return "one"
    everything = measured.agreement.scopes[-1].questions
    return "" if any(one.agreement.items for one in everything) else "apart"


def _outcomes(consensus: CampaignConsensus) -> list[Outcome]:
    return [
        Outcome(
            asked=each.asked,
            units=each.units,
            agreed=each.agreed,
            single=each.single,
            reviewed=each.reviewed,
            known=each.known,
            unsettled=[
                share._replace(label=UNSETTLED.get(share.label, share.label))
                for share in shares_of(each.unsettled)
            ],
            shares=shares_of(each.labels)[:MOST_SHARES],
        )
        for each in consensus.questions
    ]


def _settled(consensus: CampaignConsensus) -> tuple[int, int]:
    """How many answers are settled, of how many."""
    asked = [each for each in consensus.questions if each.asked.kind != "text"]
    settled = sum(each.agreed + each.reviewed + each.known for each in asked)
    return settled, sum(each.units for each in asked)


# -- one question ---------------------------------------------------------------------------


def _in_detail(
    one: QuestionAgreement, measured: Measured, family: str, names: Mapping[str, str]
) -> dict[str, Any]:
    shown = next((each for each in one.families if each.family == family), _first(one.families))
    people = _on_question(measured, one.asked.id, names)
    pairs = [_pair_row(each, names) for each in one.pairs.listed]
    parts = [part.figures for part in one.over_time.parts]
    slices = [each.figures for each in shown.slices] if shown else []
    return {
        "one": one,
        "parts_scale": _scale([each.alpha for each in parts]),
        "families": [(each.family, family_label(each.family)) for each in one.families],
        "family": shown,
        "family_label": family_label(shown.family) if shown else "",
        "slices_scale": _scale([each.alpha for each in slices]),
        "pairs": [pair for pair in pairs if pair.on.items >= TOO_FEW],
        "rare_pairs": [pair for pair in pairs if pair.on.items < TOO_FEW],
        "pairs_scale": _scale([each.on.kappa for each in pairs if each.on.items >= TOO_FEW]),
        "on_question": people,
        "on_question_scale": _scale(
            [each.on.consensus for each in people if not each.too_few], lowest=0.5
        ),
    }


def _first(families: Sequence[FamilyFigures]) -> FamilyFigures | None:
    """The first that has a slice with figures, else the first."""
    told = (each for each in families if any(_is_told(one.figures) for one in each.slices))
    return next(told, next(iter(families), None))


def _is_told(figures: Figures) -> bool:
    return figures.alpha is not None


def _pair_row(pair: PairAgreement, names: Mapping[str, str]) -> PairRow:
    return PairRow(names.get(pair.first, pair.first), names.get(pair.second, pair.second), pair)


def _on_question(measured: Measured, question: int, names: Mapping[str, str]) -> list[PersonOnRow]:
    rows = (
        PersonOnRow(
            names.get(person.annotator, person.annotator),
            shares_of(on.marginals)[:MOST_SHARES],
            on,
        )
        for person in measured.people.listed
        for on in person.questions
        if on.question == question
    )
    return list(islice(rows, MOST_PEOPLE))
