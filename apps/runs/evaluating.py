"""Asking and judging one record: pure of the database, so that any loop can drive it."""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import uniform
from typing import Any, Literal

from apps.datasets import prompting, subjects
from apps.grading.combining import in_force
from apps.grading.contracts import Answer, Judgment, Question, Subject
from apps.grading.rules.base import Rule
from apps.grading.spec import ContractSpec, RuleSet, judge
from apps.targets.adapters import Adapter
from apps.targets.contracts import Ask, Message, Reply

from .contracts import LONGEST_WAIT_SECONDS, Held, SettingsPlan

logger = logging.getLogger(__name__)

Pace = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class Item:
    """One record of a chunk and one of its trials."""

    ordinal: int
    trial: int
    record_pk: int
    record_id: str
    payload: dict[str, Any]
    held: Held = field(default_factory=Held)

    @property
    def key(self) -> str:
        return f"{self.ordinal}.{self.trial}"


@dataclass(frozen=True, slots=True)
class Call:
    """One attempt, as it is stored."""

    ordinal: int
    trial: int
    purpose: Literal["target", "judge"]
    rule: str
    call: str
    number: int
    started_at: datetime
    reply: Reply


@dataclass(frozen=True, slots=True)
class Finished:
    """A record that has its result: an answer with its judgment, or a reason."""

    item: Item
    status: Literal["completed", "timeout", "evaluation_error"]
    cause: str = ""
    detail: str = ""
    judgment: Judgment | None = None


@dataclass(frozen=True, slots=True)
class Again:
    """A record that failed in a way that passes: to be asked once more after `delay` seconds."""

    item: Item
    delay: float
    since: float = field(default_factory=time.monotonic)

    def remaining(self, now: float) -> float:
        """Seconds that it still waits, on the clock of `time.monotonic`."""
        return max(0.0, self.since + self.delay - now)


@dataclass(frozen=True, slots=True)
class Party:
    """Somebody to ask: the adapter and the pace that its rate limit allows."""

    adapter: Adapter
    pace: Pace
    max_attempts: int


class PaceBroke(Exception):
    """The rate limit could not be read: nothing that the record is to blame for."""


class Transient(Exception):
    """A judge's failure that passes; `question` is its rule and call."""

    def __init__(self, question: str, reply: Reply) -> None:
        super().__init__(reply.detail)
        self.question = question
        self.reply = reply


class Evaluator:
    """Evaluates items with the parties of one run; `note` is told of every attempt."""

    def __init__(
        self,
        *,
        target: Party,
        judges: Mapping[str, Party],
        spec: ContractSpec | None,
        settings: SettingsPlan,
        note: Callable[[Call], None],
    ) -> None:
        self._target = target
        self._judges = judges
        self._spec = spec
        self._settings = settings
        self._note_call = note

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
            reply = await self._ask_target(item)
            if reply.error_code is not None:
                return self._failure(item, reply)
            item.held = item.held.model_copy(update={"reply": reply})
        given = subjects.given(item.payload)
        rules = self._rules(given)
        if rules is None:
            return Finished(item, "completed")
        return await self._judged(item, rules, subject_of(item, given))

    def _rules(self, given: subjects.Given) -> RuleSet | None:
        """The contract's with those that came with the data; None where there are none at all."""
        if not self._settings.data_rules:
            return self._spec
        rules = in_force(self._spec, given.dataset, given.record, judges=self._judges)
        return rules if rules.rules else None

    async def _ask_target(self, item: Item) -> Reply:
        number = item.held.target_attempts + 1
        ask = Ask(
            record_id=item.record_id,
            messages=prompting.messages(item.payload),
            record=item.payload,
            trial=item.trial,
            attempt=number,
        )
        started, reply = await self._call(self._target, ask)
        self._note(item, "target", "", "", number, started, reply)
        item.held = item.held.model_copy(
            update={
                "target_attempts": number,
                "first_attempt_at": item.held.first_attempt_at or started,
                "last_attempt_at": started,
            }
        )
        return reply

    def _failure(self, item: Item, reply: Reply) -> Finished | Again:
        attempts = item.held.target_attempts
        if reply.transient and attempts < self._target.max_attempts:
            return Again(item, self._delay(attempts, reply))
        status: Literal["timeout", "evaluation_error"] = (
            "timeout" if reply.error_code == "timeout" else "evaluation_error"
        )
        return Finished(item, status, cause=reply.error_code or "", detail=reply.detail)

    async def _judged(self, item: Item, spec: RuleSet, subject: Subject) -> Finished | Again:
        try:
            answers = await self._opinions(item, spec, subject)
        except Transient as failure:
            attempts = item.held.judge_attempts.get(failure.question, 0) + 1
            counted = {**item.held.judge_attempts, failure.question: attempts}
            item.held = item.held.model_copy(update={"judge_attempts": counted})
            return Again(item, self._delay(attempts, failure.reply))
        judgment = judge(spec, subject, answers)
        if judgment.outcome == "error":
            cause = "judge_failed" if _judge_broke(judgment) else "grader_failed"
            return Finished(item, "evaluation_error", cause, judgment.reason, judgment)
        return Finished(item, "completed", judgment=judgment)

    async def _opinions(
        self, item: Item, spec: RuleSet, subject: Subject
    ) -> dict[str, tuple[Answer, ...]]:
        """Every judge's answers by rule; what was answered before is not asked again."""
        opinions = {}
        for rule in spec.rules:
            questions = rule.ask(subject)
            answers = [await self._opinion(item, rule, question) for question in questions]
            if answers:
                opinions[rule.name] = tuple(answers)
        return opinions

    async def _opinion(self, item: Item, rule: Rule, question: Question) -> Answer:
        key = f"{rule.name} {question.call}"
        if key in item.held.answers:
            return Answer(call=question.call, text=item.held.answers[key])
        reply = await self._ask_judge(item, rule, question, question.call)
        if reply.text is not None and rule.complaint(question, reply.text):
            again = rule.reask(question, reply.text)
            reply = await self._ask_judge(item, rule, again, f"{question.call}:again")
        if reply.text is None:
            return Answer(call=question.call, text=None, reason=f"The judge: {reply.detail}")
        item.held = item.held.model_copy(update={"answers": {**item.held.answers, key: reply.text}})
        return Answer(call=question.call, text=reply.text)

    async def _ask_judge(self, item: Item, rule: Rule, question: Question, call: str) -> Reply:
        judge_party = self._judges[question.judge]
        asked = f"{rule.name} {call}"
        number = item.held.judge_attempts.get(asked, 0) + 1
        messages = (
            Message(role="system", content=question.system),
            Message(role="user", content=question.user),
        )
        ask = Ask(record_id=item.record_id, messages=messages, record=item.payload, attempt=number)
        started, reply = await self._call(judge_party, ask)
        self._note(item, "judge", rule.name, call, number, started, reply)
        if reply.transient and number < judge_party.max_attempts:
            raise Transient(asked, reply)
        return reply

    async def _call(self, party: Party, ask: Ask) -> tuple[datetime, Reply]:
        try:
            await party.pace()
        except Exception as error:
            raise PaceBroke from error
        started = datetime.now(UTC)
        return started, await party.adapter.ask(ask)

    def _note(
        self,
        item: Item,
        purpose: Literal["target", "judge"],
        rule: str,
        call: str,
        number: int,
        started: datetime,
        reply: Reply,
    ) -> None:
        self._note_call(Call(item.ordinal, item.trial, purpose, rule, call, number, started, reply))

    def _delay(self, attempts: int, reply: Reply) -> float:
        """The backoff with its jitter, or Retry-After where that is longer."""
        backoff = self._settings.backoff_seconds[attempts - 1] * uniform(0.8, 1.2)  # noqa: S311
        asked_for = (reply.retry_after_ms or 0) / 1000
        return min(max(backoff, asked_for), LONGEST_WAIT_SECONDS)


def subject_of(item: Item, given: subjects.Given) -> Subject:
    """What the graders see of an answered item."""
    reply = item.held.reply
    if reply is None or reply.text is None:
        raise ValueError(f"record {item.record_id} has no answer")
    return Subject(
        **given.fields,
        record_id=item.record_id,
        response=reply.text,
        trial=item.trial,
        latency_ms=reply.latency_ms,
        input_tokens=reply.usage.input_tokens,
        output_tokens=reply.usage.output_tokens,
        cost=reply.cost,
    )


def _judge_broke(judgment: Judgment) -> bool:
    return any(score.verdict == "error" and score.method == "judge" for score in judgment.scores)
