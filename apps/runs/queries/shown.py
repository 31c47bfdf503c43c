"""One record of a run with all that is known of it: the question, the answer, the scores."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from apps.datasets import prompting
from apps.datasets.models import Facet, Record
from apps.datasets.sight import Sight
from apps.runs.models import Attempt, Result, Run, Score
from apps.runs.words import state_word
from apps.targets.contracts import Message

from .figures import family_label
from .turns import ShownTurn, shown_turns

SOURCES = {
    "contract": "rule of the contract",
    "dataset": "rule of the dataset",
    "record": "rule of the record",
}


class ShownScore(NamedTuple):
    """A score with the checks it was made of, what it rests on, and the rest as text."""

    score: Score
    checks: Sequence[Mapping[str, Any]]
    evidence: Sequence[str]
    raw: str

    @property
    def whose(self) -> str:
        return SOURCES.get(self.score.source, "")

    @property
    def reason(self) -> str:
        """Empty where the checks say it already."""
        missed = next((check["text"] for check in self.checks if not check["passed"]), None)
        said = missed is not None and self.score.reason.startswith(missed)
        return "" if said else self.score.reason


@dataclass(frozen=True)
class Shown:
    """`result` is None while the record waits for its answer."""

    record: Record
    trial: int
    result: Result | None
    messages: Sequence[Message]
    context: Any
    reference: str | None
    expected: Any
    scores: Sequence["ShownScore"] = ()
    attempts: Sequence[Attempt] = ()
    turns: Sequence[ShownTurn] = ()
    """Of an answer in turns, or one that tells what the system did."""
    slices: Sequence[tuple[str, str, str]] = field(default=())
    """Family, its label, value."""

    @property
    def state(self) -> str:
        """What the badge says: the verdict of an evaluated result, else its status."""
        if self.result is None:
            return "waiting"
        return state_of(self.result)

    @property
    def why(self) -> str:
        """What decided against the answer, in a few words; empty where it passed or nothing did."""
        if self.result is None or self.result.status != "completed":
            return ""
        if self.result.verdict == "failed":
            missed = [line.score.rule for line in self.scores if line.score.verdict == "fail"]
            told = f"Below the threshold: {', '.join(missed)}."
            return told if missed else "The weighted score is below the passing score."
        if self.result.verdict == "unjudged":
            silent = [line.score.rule for line in self.scores if line.score.verdict == "skip"]
            return f"No score, and one was needed: {', '.join(silent)}."
        return ""


def shown(run: Run, ordinal: int, trial: int) -> Shown | None:
    """Four queries, five where the record has no result yet; None where there is no record."""
    place = Result.objects.filter(run=run, ordinal=ordinal, trial=trial)
    result = place.select_related("record", "target_version").first()
    record = result.record if result else _waiting(run, ordinal)
    if record is None:
        return None
    payload = Sight(run.workspace).value(orjson.loads(record.payload))
    asked = payload.get("input") or {}
    messages, inputs = prompting.messages(payload), prompting.inputs(payload)
    turns = _turns(result, inputs or (messages[-1].content,))
    return Shown(
        record=record,
        trial=trial,
        result=result,
        messages=messages[:-1] if turns and not inputs else () if turns else messages,
        turns=turns,
        context={key: value for key, value in asked.items() if key != "prompt"} or None,
        reference=prompting.reference_of(payload),
        expected=payload.get("expected"),
        scores=_scores(result) if result else (),
        attempts=_attempts(run, ordinal, trial),
        slices=_slices(run, ordinal),
    )


def _turns(result: Result | None, inputs: Sequence[str]) -> list[ShownTurn]:
    kept = (result.extra or {}).get("turns", ()) if result else ()
    return list(shown_turns(inputs, kept)) if kept else []


def state_of(result: Result) -> str:
    return state_word(result.status, result.verdict)


def _waiting(run: Run, ordinal: int) -> Record | None:
    if ordinal >= run.dataset_version.total:
        return None
    return Record.objects.filter(version=run.dataset_version_id, ordinal=ordinal).first()


def _scores(result: Result) -> list[ShownScore]:
    return [_shown_score(score) for score in Score.objects.filter(result=result).order_by("pk")]


def _shown_score(score: Score) -> ShownScore:
    raw = dict(score.raw) if isinstance(score.raw, dict) else {}
    checks, evidence = raw.pop("assertions", []), raw.pop("evidence", [])
    if not _are_checks(checks):  # an imported score may use our words for something else
        raw, checks = {**raw, "assertions": checks}, []
    if not isinstance(evidence, list):
        raw, evidence = {**raw, "evidence": evidence}, []
    rest = raw or (score.raw if not isinstance(score.raw, dict) else None)
    text = json.dumps(rest, ensure_ascii=False, indent=2) if rest else ""
    return ShownScore(score, checks, [str(each) for each in evidence], text)


def _are_checks(found: Any) -> bool:
    return isinstance(found, list) and all(
        isinstance(each, dict)
        and isinstance(each.get("text"), str)
        and isinstance(each.get("passed"), bool)
        for each in found
    )


def _attempts(run: Run, ordinal: int, trial: int) -> list[Attempt]:
    rows = Attempt.objects.filter(run=run, ordinal=ordinal, trial=trial)
    return list(rows.order_by("started_at", "pk"))


def _slices(run: Run, ordinal: int) -> list[tuple[str, str, str]]:
    facets = Facet.objects.filter(version=run.dataset_version_id, members__ordinal=ordinal)
    pairs = facets.order_by("family", "value").values_list("family", "value")
    return [(family, family_label(family), value) for family, value in pairs]
