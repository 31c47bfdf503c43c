"""One record as each run answered it, word by word against the baseline's answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

import numpy as np
import orjson
from django.db.models import Q

from apps.analysis.comparing import arrays_of
from apps.analysis.models import Comparison
from apps.datasets import prompting
from apps.datasets.comparing.differing import Span, marked, shortened
from apps.datasets.models import Record
from apps.datasets.sight import Sight
from apps.runs.models import Result, Run, Score
from apps.runs.queries.shown import state_of
from apps.runs.recorded.imported import label_of
from apps.targets.contracts import Message

from .choosing import Chosen, Side

LONGEST = 8_000
"""Characters of an answer that are compared; what is longer is cut off, which is told."""

OWN_METHODS = ("", "code", "judge")


@dataclass(frozen=True)
class Answer:
    """What one run made of the record; no result where it did not have it, or never asked it."""

    side: Side
    ordinal: int | None = None
    result: Result | None = None
    tries: Sequence[int] = ()
    spans: Sequence[Span] = ()

    @property
    def state(self) -> str:
        return state_of(self.result) if self.result else ""

    @property
    def is_answered(self) -> bool:
        return self.result is not None and self.result.status == "completed"

    @property
    def is_clipped(self) -> bool:
        return self.result is not None and len(self.result.response) > LONGEST

    @property
    def cause(self) -> str:
        """In words, of what failed."""
        found = self.result
        return found.cause_title if found and not self.is_answered else ""


class RuleLine(NamedTuple):
    """What one rule says of each answer, by the letter of its run, in the order of the answers."""

    title: str
    by: str
    scores: list[tuple[str, Score | None]]


@dataclass(frozen=True)
class Beside:
    record: Record
    trial: int
    messages: Sequence[Message]
    reference: str | None
    context: Any
    answers: Sequence[Answer]
    rules: Sequence[RuleLine]

    @property
    def trials(self) -> Sequence[int]:
        return sorted({trial for answer in self.answers for trial in answer.tries})


def ordinals_of(chosen: Chosen, comparisons: Sequence[Comparison], ordinal: int) -> dict[str, int]:
    """Where each run has a record of the baseline; runs without it are left out."""
    baseline = chosen.baseline.run
    found = {baseline.pk: ordinal}
    for comparison in comparisons:
        run = comparison.candidate
        partner = _partner(comparison, baseline, ordinal)
        if partner is not None:
            found[run.pk] = partner
    return found


def ordinals_alone(chosen: Chosen, ordinal: int) -> dict[str, int]:
    """Where the runs of the candidate's dataset version have a record that is only there."""
    version = chosen.candidate.run.dataset_version_id
    sides = [side for side in chosen.candidates if side.run.dataset_version_id == version]
    return {side.run.pk: ordinal for side in sides}


def beside(
    chosen: Chosen, ordinals: Mapping[str, int], *, trial: int, whole: bool
) -> Beside | None:
    """Three queries however many runs there are; None where nobody has such a record."""
    record = _record(chosen, ordinals)
    if record is None:
        return None
    results = _results(ordinals)
    picked = {key: _of_trial(found, trial) for key, found in results.items()}
    answers = [_answer(side, ordinals, results, picked) for side in chosen.sides]
    payload = Sight(chosen.baseline.run.workspace).value(orjson.loads(record.payload))
    asked = payload.get("input") or {}
    return Beside(
        record=record,
        trial=trial,
        messages=prompting.messages(payload),
        reference=prompting.reference_of(payload),
        context={key: value for key, value in asked.items() if key != "prompt"} or None,
        answers=_compared(chosen, answers, whole),
        rules=_rules(answers),
    )


def _partner(comparison: Comparison, baseline: Run, ordinal: int) -> int | None:
    """Within one dataset version the same place is the same record."""
    if comparison.candidate.dataset_version_id == baseline.dataset_version_id:
        return ordinal
    if comparison.pairs is None:
        return None
    arrays = arrays_of(comparison)
    places = np.flatnonzero(arrays.baseline_ordinals == ordinal)
    return int(arrays.candidate_ordinals[places[0]]) if len(places) else None


def _record(chosen: Chosen, ordinals: Mapping[str, int]) -> Record | None:
    side = next((side for side in chosen.sides if side.run.pk in ordinals), None)
    if side is None:
        return None
    version, ordinal = side.run.dataset_version_id, ordinals[side.run.pk]
    return Record.objects.filter(version=version, ordinal=ordinal).first()


def _results(ordinals: Mapping[str, int]) -> dict[str, list[Result]]:
    """Every try of the record in each run, in their order."""
    found: dict[str, list[Result]] = {key: [] for key in ordinals}
    places = (Q(run=run, ordinal=ordinal) for run, ordinal in ordinals.items())
    for result in Result.objects.filter(reduce(or_, places)).order_by("trial"):
        found[result.run_id].append(result)
    return found


def _of_trial(found: Sequence[Result], trial: int) -> Result | None:
    """The try that is asked for, else the first."""
    return next((each for each in found if each.trial == trial), next(iter(found), None))


def _answer(
    side: Side,
    ordinals: Mapping[str, int],
    results: Mapping[str, Sequence[Result]],
    picked: Mapping[str, Result | None],
) -> Answer:
    key = side.run.pk
    tries = [each.trial for each in results.get(key, ())]
    return Answer(side, ordinals.get(key), picked.get(key), tries)


def _compared(chosen: Chosen, answers: Sequence[Answer], whole: bool) -> list[Answer]:
    """What each candidate says anew is marked; in the baseline, what the one told in detail lacks.

    A run that failed says nothing, so beside it nothing is marked.
    """
    before = answers[0]
    spans = [_spans(before, after, whole) for after in answers[1:]]
    place = chosen.candidates.index(chosen.candidate)
    rest = [_with(after, new) for after, (_gone, new) in zip(answers[1:], spans, strict=True)]
    return [_with(before, spans[place][0]), *rest]


def _spans(before: Answer, after: Answer, whole: bool) -> tuple[list[Span], list[Span]]:
    left, right = (_text(answer) for answer in (before, after))
    if not (before.is_answered and after.is_answered):
        return [Span("same", left)], [Span("same", right)]
    gone, new = marked(left, right)
    return (gone, new) if whole else (shortened(gone), shortened(new))


def _with(answer: Answer, spans: Sequence[Span]) -> Answer:
    shown = [span for span in spans if span.text]
    return Answer(answer.side, answer.ordinal, answer.result, answer.tries, shown)


def _text(answer: Answer) -> str:
    return answer.result.response[:LONGEST] if answer.result else ""


def _rules(answers: Sequence[Answer]) -> list[RuleLine]:
    """A line a rule, in the order in which the runs name them."""
    keys = [answer.result.pk for answer in answers if answer.result]
    found: dict[tuple[str, str], dict[int, Score]] = {}
    for score in Score.objects.filter(result__in=keys).order_by("pk"):
        found.setdefault(_rule(score), {})[score.result_id] = score
    return [
        RuleLine(title, by, [(answer.side.letter, _own(own, answer)) for answer in answers])
        for (title, by), own in found.items()
    ]


def _own(scores: Mapping[int, Score], answer: Answer) -> Score | None:
    return scores.get(answer.result.pk) if answer.result else None


def _rule(score: Score) -> tuple[str, str]:
    """Scores that came along go by their method and verifier too, as on the page of the run."""
    if score.method in OWN_METHODS:
        return score.rule, score.judge
    return label_of(score.rule, score.method, score.verifier), score.judge
