"""What a judge and what people said of each answer of a run, as the statistics want it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from apps.analysis.models import Calibration
from apps.labeling.models import Campaign, Question
from apps.labeling.sending.subjects import Subjects
from apps.labeling.settling.truth import Truth, Unit
from apps.labeling.task_types import showing
from apps.metrics.labels import Sample
from apps.runs.models import Result, ResultStatus, Run, Score
from apps.runs.walking import WINDOW

if TYPE_CHECKING:
    import pandas as pd

PASSES = 0.5
"""The score from which a judge without verdicts passes an answer, unless somebody says else."""

VERDICTS: Mapping[str, bool] = {"pass": True, "fail": False, "warn": False}
OUTCOMES: Mapping[str, bool] = {"passed": True, "failed": False}
"""What a contract says of an answer, as `VERDICTS` are what a rule says."""

LABELS: Mapping[str, bool] = {"true": True, "false": False}
WHY = {
    "unanswered": "nobody labelled it",
    "too_few": "people are still asked",
    "discarded": "discarded, and nobody is left to ask",
    "tie": "people disagree",
    "split": "people disagree",
    "adjudicate": "waits for an adjudicator",
    "text": "answered in free words",
    "undecidable": "could not be decided",
}
_ITEM = ("pk", "result", "chunk", "probability")
NO_SCORE = "the judge gave no score"
NOT_ALL = "not all passages are labelled"
UNREADABLE = "the label says neither pass nor fail"

Passages = Mapping[int, frozenset[str]]
"""By result: all its passages, be they labelled or not."""


class Verdict(NamedTuple):
    """What one side said of an answer, or people of a passage; without a verdict, why. A judge may
    have said it by a score."""

    passed: bool | None
    why: str = ""
    score: float | None = None


@dataclass
class Verdicts:
    """What people said, by result; `units` are the items behind those with a verdict."""

    sample: Sample
    passed: dict[int, bool | None] = field(default_factory=dict)
    why: dict[int, str] = field(default_factory=dict)
    probability: dict[int, float] = field(default_factory=dict)
    units: dict[Unit, tuple[int, bool]] = field(default_factory=dict)


class People:
    """The questions of a campaign whose answers say that something passes or fails."""

    def __init__(self, campaign: Campaign) -> None:
        self.questions = [each for each in campaign.questions.all() if can_pass(each)]


def can_pass(question: Question) -> bool:
    """Yes-or-no questions and scales; an import's questions, whose labels say what they are."""
    if question.kind in (Question.Kind.YES_NO, Question.Kind.RATING):
        return True
    return question.kind == Question.Kind.CHOICE and not question.options


def passing(
    question: Question, passes_from: float | None, *, yes_fails: bool
) -> Callable[[str], bool | None]:
    """What a label says of the answer: it passes, it fails, or nothing that we can read.

    On a scale the upper half passes, unless `passes_from` says otherwise; with `yes_fails` the
    other way round, for yes speaks against an answer where the question asks for a fault.
    """
    least = passes_from if passes_from is not None else _upper_half(question)

    def passes(label: str) -> bool | None:
        if label in LABELS:
            return LABELS[label] != yes_fails
        number = _number(label)
        return None if number is None or least is None else (number >= least) != yes_fails

    return passes


def passages_of(campaign: Campaign) -> Passages:
    """Of an import, whose items are what is labelled, with the passages that it leaves out."""
    found: dict[int, set[str]] = {}
    for result, chunk in campaign.items.exclude(chunk="").values_list("result", "chunk"):
        found.setdefault(result, set()).add(chunk)
    if campaign.kind == Campaign.Kind.IMPORT:
        subjects = Subjects()
        results = Result.objects.filter(pk__in=found).select_related("record", "run")
        for answer in results.iterator(chunk_size=WINDOW):
            retrieved = showing.units(subjects.of(answer))
            if found[answer.pk] <= set(retrieved):
                found[answer.pk].update(retrieved)
    return {result: frozenset(chunks) for result, chunks in found.items()}


def human_verdicts(
    campaign: Campaign,
    calibration: Calibration,
    found: Mapping[Unit, Truth],
    passages: Passages,
) -> Verdicts:
    """By result; where its passages are labelled, one that passes is enough for it, and one that
    fails where the question asks for a fault. Else all of them must have a label.

    Hidden gold items were not drawn with the sample and are left out.
    """
    question, yes_fails = calibration.question, calibration.yes_fails
    passes = passing(question, calibration.passes_from, yes_fails=yes_fails)
    people = Verdicts(sample=_sample(campaign))
    said: dict[int, dict[str, Verdict]] = {}
    drawn = campaign.items.exclude(pk__in=_hidden_gold(campaign))
    for item, result, chunk, probability in drawn.values_list(*_ITEM):
        people.probability[result] = probability or 1.0
        parts = said.setdefault(result, {})
        if truth := found.get((item, question.pk)):
            parts[chunk] = _said(truth, passes)
            if (passed := parts[chunk].passed) is not None and not chunk:
                people.units[item, question.pk] = (result, passed)
    for result, parts in said.items():
        whole = passages.get(result, frozenset()) if any(parts) else frozenset(parts)
        verdict = _of_parts(parts, whole, enough=not yes_fails)
        people.passed[result], people.why[result] = verdict.passed, verdict.why
    return people


def judged_by(run: Run, calibration: Calibration) -> dict[int, Verdict]:
    """What the judge said of each answer of the run, by result."""
    if not calibration.rule:
        rows = run.results.filter(status=ResultStatus.COMPLETED).values_list("pk", "verdict")
        return {pk: Verdict(OUTCOMES.get(verdict), NO_SCORE) for pk, verdict in rows}
    least = PASSES if calibration.threshold is None else calibration.threshold
    scores = Score.objects.filter(
        run=run,
        rule=calibration.rule,
        judge=calibration.judge,
        method=calibration.method,
        verifier=calibration.verifier,
    )
    return {
        result: _judged(verdict, value, least)
        for result, verdict, value in scores.values_list("result", "verdict", "value")
    }


def frame_of(people: Verdicts, judged: Mapping[int, Verdict]) -> "pd.DataFrame":
    """A row for each answer that either side has looked at."""
    import pandas as pd

    results = sorted({*judged, *people.passed})
    said = [judged.get(result, Verdict(None, NO_SCORE)) for result in results]
    return pd.DataFrame(
        {
            "judge": pd.Series([each.passed for each in said], dtype=object),
            "human": pd.Series([people.passed.get(each) for each in results], dtype=object),
            "score": pd.Series([each.score for each in said], dtype=float),
            "probability": [people.probability.get(each, 1.0) for each in results],
            "judge_why": [each.why if each.passed is None else "" for each in said],
            "human_why": [_why(people, each) for each in results],
        }
    )


def _why(people: Verdicts, result: int) -> str:
    return people.why.get(result, "") if people.passed.get(result) is None else ""


def _said(truth: Truth, passes: Callable[[str], bool | None]) -> Verdict:
    if truth.label is None:
        return Verdict(None, WHY.get(truth.why, ""))
    passed = passes(truth.label)
    return Verdict(passed, UNREADABLE if passed is None else "")


def _of_parts(parts: Mapping[str, Verdict], whole: frozenset[str], *, enough: bool) -> Verdict:
    """Of the answer; `enough` is the verdict that one passage settles alone."""
    decided = {part: said.passed for part, said in parts.items() if said.passed is not None}
    if enough in decided.values():
        return Verdict(enough)
    if decided and whole <= decided.keys():
        return Verdict(not enough)
    why = next((said.why for said in parts.values() if said.why), "")
    return Verdict(None, why or (NOT_ALL if decided else ""))


def _sample(campaign: Campaign) -> Sample:
    """An import says nothing of how its answers were drawn."""
    if campaign.kind != Campaign.Kind.DESK:
        return "unknown"
    return "random" if campaign.planned.sample.is_random else "chosen"


def _hidden_gold(campaign: Campaign) -> list[int]:
    """Further items with a known answer: those of a drawn sample that nobody drew."""
    if campaign.kind != Campaign.Kind.DESK or not campaign.planned.sample.is_random:
        return []
    return list(campaign.items.filter(probability=None).values_list("pk", flat=True))


def _judged(verdict: str, value: float | None, least: float) -> Verdict:
    if verdict in VERDICTS:
        return Verdict(VERDICTS[verdict], score=value)
    if value is None or verdict:
        return Verdict(None, NO_SCORE)
    return Verdict(value >= least, score=value)


def _upper_half(question: Question) -> float | None:
    """The middle between the ends of the scale, and what is above it."""
    values = [_number(str(value)) for value, _title in question.options]
    if not values:
        values = [_number(label) for label in _labels_given(question)]
    known = [value for value in values if value is not None]
    return (min(known) + max(known)) / 2 + 1e-9 if known else None


def _labels_given(question: Question) -> list[str]:
    return list(question.annotations.values_list("label", flat=True).distinct()[:50])


def _number(label: str) -> float | None:
    try:
        number = float(label)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
