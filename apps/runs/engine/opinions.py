"""Asking judges: one re-ask of what cannot be read, and nothing that was answered before."""

from collections.abc import Mapping
from datetime import UTC, datetime

from apps.grading.contracts import Answer, Question, Subject
from apps.grading.rules.base import Rule
from apps.grading.spec import RuleSet
from apps.targets.contracts import Ask, Message, Reply

from .items import Call, Item, Note, Party


class Transient(Exception):
    """A judge's failure that passes; `question` is its rule and call."""

    def __init__(self, question: str, reply: Reply) -> None:
        super().__init__(reply.detail)
        self.question = question
        self.reply = reply


class Opinions:
    """Asks the judges of one run what the rules want to know of an answer."""

    def __init__(self, judges: Mapping[str, Party], note: Note) -> None:
        self._judges = judges
        self._note = note

    async def of(
        self, item: Item, rules: RuleSet, subject: Subject
    ) -> dict[str, tuple[Answer, ...]]:
        """The last answer to each question by rule; raises Transient where one is to be tried
        again. The item keeps what was answered."""
        opinions = {}
        for rule in rules.judge_rules:
            answers = [await self._opinion(item, rule, each) for each in rule.ask(subject)]
            if answers:
                opinions[rule.name] = tuple(answers)
        return opinions

    async def _opinion(self, item: Item, rule: Rule, question: Question) -> Answer:
        key = f"{rule.name} {question.call}"
        if key in item.held.answers:
            return Answer(call=question.call, text=item.held.answers[key])
        reply = await self._readable(item, rule, question, key)
        if reply.text is None:
            return Answer(call=question.call, text=None, reason=f"The judge: {reply.detail}")
        item.held = item.held.model_copy(update={"answers": {**item.held.answers, key: reply.text}})
        return Answer(call=question.call, text=reply.text)

    async def _readable(self, item: Item, rule: Rule, question: Question, key: str) -> Reply:
        """The first reply, or that to the re-ask; a first one that was heard before is held."""
        first = item.held.unreadable.get(key)
        if first is None:
            reply = await self._heard(item, rule, question, question.call)
            if reply.text is None or not rule.complaint(question, reply.text):
                return reply
            first = reply.text
            unreadable = {**item.held.unreadable, key: first}
            item.held = item.held.model_copy(update={"unreadable": unreadable})
        return await self._heard(item, rule, rule.reask(question, first), f"{question.call}:again")

    async def _heard(self, item: Item, rule: Rule, question: Question, call: str) -> Reply:
        """What the judge says, or said to the same question before."""
        party, asked = self._judges[question.judge], f"{rule.name} {call}"
        number = item.held.judge_attempts.get(asked, 0) + 1
        started, reply = datetime.now(UTC), await _recalled(party, rule, question)
        if reply is None:
            started, reply = await party.ask(_ask_of(item, question, number))
            _keep(party, rule, question, reply)
        self._note(Call(item.ordinal, item.trial, "judge", rule.name, call, number, started, reply))
        if reply.transient and number < party.max_attempts:
            raise Transient(asked, reply)
        return reply


async def _recalled(party: Party, rule: Rule, question: Question) -> Reply | None:
    """What was kept, where this rule can read it: it may ask for more than the one that kept it."""
    reply = await party.memory.recall(question) if party.memory else None
    readable = reply is not None and reply.text and not rule.complaint(question, reply.text)
    return reply if readable else None


def _keep(party: Party, rule: Rule, question: Question, reply: Reply) -> None:
    if party.memory and reply.text and not rule.complaint(question, reply.text):
        party.memory.keep(question, reply)


def _ask_of(item: Item, question: Question, number: int) -> Ask:
    messages = (
        Message(role="system", content=question.system),
        Message(role="user", content=question.user),
    )
    return Ask(record_id=item.record_id, messages=messages, record=item.payload, attempt=number)
