"""What a run would ask and cost, before it is started: counted on a sample of its records.

Tokens are characters divided by four, and an answer is taken to be as long as the record's
reference, or 250 tokens where it has none; a judge's reply to take 150. A regrade asks the judges
about the answers that there are. Calls that have to be made again come on top, answers of judges
that are kept already cost nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import orjson

from apps.datasets import prompting, subjects
from apps.datasets.models import Record
from apps.grading.contracts import Subject
from apps.grading.spec import RuleSet, questions
from apps.runs.contracts import PILOT_RECORDS, Estimate, Held
from apps.runs.engine.evaluating import subject_of
from apps.runs.engine.items import Item
from apps.runs.engine.ruling import Rules
from apps.runs.models import Run
from apps.runs.working.carrying import held_of, is_answered
from apps.runs.working.loading import is_of_the_data
from apps.targets.contracts import Reply, Usage
from apps.targets.models import TargetVersion
from apps.targets.prices import cost_of
from apps.targets.specs import OpenAIChatSpec, Paced, RecordedSpec

from .judging import DEFAULT
from .starting import Order

SAMPLE = 100
CHARACTERS_A_TOKEN = 4
ANSWER_TOKENS = 250
OPINION_TOKENS = 150


@dataclass(slots=True)
class _Tally:
    """Of the sample: calls and characters or tokens, by who is asked."""

    calls: int = 0
    characters_in: int = 0
    tokens_out: int = 0

    def add(self, *, characters: int, tokens: int) -> None:
        self.calls += 1
        self.characters_in += characters
        self.tokens_out += tokens


def estimate(order: Order) -> Estimate:
    """The calls, and what they cost; None with a reason where a price is not known."""
    accepted = order.version.accepted
    records = min(accepted, PILOT_RECORDS) if order.options.pilot else accepted
    items = _sample(order, min(records, SAMPLE))
    tallies = _tallies(order, items)
    tries = records * order.options.trials
    factor = tries / len(items) if items else 0.0
    judges = sum(tally.calls for name, tally in tallies.items() if name is not None)
    cost, reason = _cost(order, tallies, factor)
    return Estimate(
        records=records,
        trials=order.options.trials,
        target_calls=round(tallies[None].calls * factor),
        judge_calls=round(judges * factor),
        cost=cost,
        reason=reason,
    )


def _sample(order: Order, size: int) -> list[Item]:
    """The first records; those of a regrade hold the answers that are graded again."""
    records = list(order.version.records.order_by("ordinal")[:size])
    held = _answers(order.parent, records) if order.kind == Run.Kind.REGRADE else {}
    return [
        Item(
            ordinal=record.ordinal,
            trial=0,
            record_pk=record.pk,
            record_id=record.record_id,
            payload=orjson.loads(record.payload),
            held=held.get(record.ordinal, Held()),
        )
        for record in records
    ]


def _answers(parent: Run | None, records: Sequence[Record]) -> dict[int, Held]:
    """By ordinal; what has no answer is not judged again."""
    if parent is None:
        return {}
    ordinals = [record.ordinal for record in records]
    results = parent.results.filter(ordinal__in=ordinals, trial=0)
    return {result.ordinal: held_of(result) for result in results if is_answered(result)}


def _tallies(order: Order, items: Sequence[Item]) -> dict[str | None, _Tally]:
    """The sample's calls to the target (None) and to each judge by its name."""
    tallies: dict[str | None, _Tally] = {
        None: _Tally(),
        **{name: _Tally() for name in order.judges},
    }
    rules = Rules(
        order.contract.parsed if order.contract else None,
        order.judges,
        dataset=subjects.of_dataset(order.version.header),
    )
    of_the_data = is_of_the_data(order.target.parsed)
    for item in items:
        if order.kind != Run.Kind.REGRADE:
            _ask(tallies[None], order.target, item)
        given = subjects.given(item.payload)
        found = rules.of(given)
        if item.held.reply is not None and found is not None and found.judge_rules:
            _add_opinions(tallies, found, subject_of(item, given, of_the_data))
    return tallies


def _ask(tally: _Tally, target: TargetVersion, item: Item) -> None:
    """Count the calls for one record, and take an answer for granted."""
    reference = prompting.reference_of(item.payload)
    tokens = len(reference) // CHARACTERS_A_TOKEN + 1 if reference else ANSWER_TOKENS
    answer = "x" * (tokens * CHARACTERS_A_TOKEN)
    spec = target.parsed
    if not isinstance(spec, RecordedSpec):
        for characters in _calls(item, len(answer)):
            tally.add(characters=characters + _standing(target), tokens=tokens)
    item.held = Held(reply=Reply(text=answer))


def _calls(item: Item, answer: int) -> Iterator[int]:
    """The characters of each call: in a session each repeats what was said before."""
    inputs = prompting.inputs(item.payload)
    if not inputs:
        yield sum(len(message.content) for message in prompting.messages(item.payload))
    said = 0
    for text in inputs:
        yield said + len(text)
        said += len(text) + answer


def _add_opinions(tallies: dict[str | None, _Tally], spec: RuleSet, subject: Subject) -> None:
    for asked in questions(spec, subject).values():
        for question in asked:
            tally = tallies.setdefault(question.judge or DEFAULT, _Tally())
            characters = len(question.system) + len(question.user)
            tally.add(characters=characters, tokens=OPINION_TOKENS)


def _standing(target: TargetVersion) -> int:
    """The characters that every call to the target begins with."""
    spec = target.parsed
    return len(spec.system_prompt or "") if isinstance(spec, OpenAIChatSpec) else 0


def _cost(
    order: Order, tallies: dict[str | None, _Tally], factor: float
) -> tuple[float | None, str]:
    parties: dict[str | None, TargetVersion] = {None: order.target}
    parties.update(order.judges)
    total = 0.0
    for name, tally in tallies.items():
        version = parties.get(name)
        if version is None:
            return None, "The judge is not chosen yet."
        cost = _cost_of(version, tally, factor) if tally.calls else 0.0
        if cost is None:
            return None, f"{version.target.name} has no prices: an admin can set them."
        total += cost
    return total, ""


def _cost_of(version: TargetVersion, tally: _Tally, factor: float) -> float | None:
    spec = version.parsed
    if not isinstance(spec, Paced):
        return 0.0
    usage = Usage(
        input_tokens=round(tally.characters_in * factor / CHARACTERS_A_TOKEN),
        output_tokens=round(tally.tokens_out * factor),
    )
    return cost_of(usage, spec.price_input, spec.price_output)
