"""Asking and judging one record: pure of the database, so that any loop can drive it."""

import logging
from collections.abc import Callable, Mapping
from typing import Any, Literal

from apps.datasets import subjects
from apps.grading.combining import NO_RULES, OwnRules
from apps.grading.contracts import Judgment, Subject
from apps.grading.spec import ContractSpec, RuleSet, judge
from apps.runs.contracts import SettingsPlan
from apps.targets.contracts import Reply

from .asking import Asking
from .items import Again, Finished, Item, Note, PaceBroke, Party, wait_after
from .opinions import Opinions, Transient
from .ruling import Rules
from .turns import seen

logger = logging.getLogger(__name__)


def _never() -> bool:
    return False


class Evaluator:
    """Evaluates items with the parties of one run; `note` is told of every attempt.

    Without a target every item must hold its answer. `of_the_data`: the answers came with the
    records, which may tell how they were made. `enough` says when a session is to be left to
    a later chunk.
    """

    def __init__(
        self,
        *,
        target: Party | None,
        judges: Mapping[str, Party],
        spec: ContractSpec | None,
        settings: SettingsPlan,
        note: Note,
        dataset_rules: OwnRules = NO_RULES,
        of_the_data: bool = False,
        enough: Callable[[], bool] = _never,
    ) -> None:
        self._asking = Asking(target, note, enough) if target else None
        self._opinions = Opinions(judges, note)
        self._rules = Rules(spec, judges, dataset=dataset_rules, of_the_data=settings.data_rules)
        self._backoff = settings.backoff_seconds
        self._of_the_data = of_the_data

    async def evaluate(self, item: Item) -> Finished | Again:
        """A result or another try; what breaks here concerns this record alone."""
        try:
            return await self._evaluate(item)
        except PaceBroke:
            raise
        except Exception as error:
            logger.exception("Record %s could not be evaluated", item.record_id)
            detail = f"{type(error).__name__}: {error}"[:500]
            return Finished(item, "evaluation_error", "grader_failed", detail)

    async def _evaluate(self, item: Item) -> Finished | Again:
        if item.held.reply is None:
            if self._asking is None:
                raise ValueError("there is no answer, and nobody is asked")
            reply = await self._asking.answer(item)
            if reply is None:
                return Again(item, delay=0)
            if reply.error_code is not None:
                return self._failure(item, self._asking, reply)
            item.held = item.held.model_copy(update={"reply": reply})
        given = subjects.given(item.payload)
        rules = self._rules.of(given)
        if rules is None:
            return Finished(item, "completed")
        return await self._judged(item, rules, subject_of(item, given, self._of_the_data))

    def _failure(self, item: Item, asking: Asking, reply: Reply) -> Finished | Again:
        if reply.transient and asking.allows(item.held):
            return Again(item, wait_after(item.held.tried, reply, self._backoff))
        status: Literal["timeout", "evaluation_error"] = (
            "timeout" if reply.error_code == "timeout" else "evaluation_error"
        )
        return Finished(item, status, cause=reply.error_code or "", detail=reply.detail)

    async def _judged(self, item: Item, rules: RuleSet, subject: Subject) -> Finished | Again:
        try:
            answers = await self._opinions.of(item, rules, subject)
        except Transient as failure:
            attempts = item.held.judge_attempts.get(failure.question, 0) + 1
            counted = {**item.held.judge_attempts, failure.question: attempts}
            item.held = item.held.model_copy(update={"judge_attempts": counted})
            return Again(item, wait_after(attempts, failure.reply, self._backoff))
        judgment = judge(rules, subject, answers)
        if judgment.outcome == "error":
            cause = "judge_failed" if _judge_broke(judgment) else "grader_failed"
            return Finished(item, "evaluation_error", cause, judgment.reason, judgment)
        return Finished(item, "completed", judgment=judgment)


def subject_of(item: Item, given: subjects.Given, of_the_data: bool = False) -> Subject:
    """What the graders see of an answered item; `of_the_data`: with what its record tells."""
    reply = item.held.reply
    if reply is None or reply.text is None:
        raise ValueError(f"record {item.record_id} has no answer")
    fields = {
        **given.fields,
        **seen(item),
        "latency_ms": reply.latency_ms,
        "input_tokens": reply.usage.input_tokens,
        "output_tokens": reply.usage.output_tokens,
        "cost": reply.cost,
        **(_answered(item) if of_the_data else {}),
    }
    told = {"record_id": item.record_id, "response": reply.text, "trial": item.trial}
    return Subject(**{**fields, **told})


def _answered(item: Item) -> dict[str, Any]:
    """What the record tells of its answer; a session's events are those that were kept with it."""
    told = subjects.answered(item.payload)
    if "session" in told:
        told["trace"] = tuple(event for run in seen(item)["session"] for event in run.trace)
    return told


def _judge_broke(judgment: Judgment) -> bool:
    return any(score.verdict == "error" and score.method == "judge" for score in judgment.scores)
