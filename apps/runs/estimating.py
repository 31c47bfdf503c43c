"""What a run would ask and cost, before it is started: counted on a sample of its records.

Tokens are characters divided by four, and an answer is taken to be as long as the record's
reference, or 250 tokens where it has none; a judge's reply to take 150. Calls that have to be
made again come on top.
"""

from dataclasses import dataclass

import orjson

from apps.datasets import prompting, subjects
from apps.grading.contracts import Subject
from apps.grading.spec import RuleSet, questions
from apps.targets.contracts import Usage
from apps.targets.models import TargetVersion
from apps.targets.prices import cost_of
from apps.targets.specs import OpenAIChatSpec, Paced, RecordedSpec

from .contracts import PILOT_RECORDS, Estimate
from .starting import DEFAULT, Order

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
    tallies = _tallies(order, min(records, SAMPLE))
    asked = tallies[None].calls
    tries = records * order.options.trials
    factor = tries / asked if asked else 0.0
    judges = sum(tally.calls for name, tally in tallies.items() if name is not None)
    cost, reason = _cost(order, tallies, factor)
    return Estimate(
        records=records,
        trials=order.options.trials,
        target_calls=0 if isinstance(order.target.parsed, RecordedSpec) else tries,
        judge_calls=round(judges * factor),
        cost=cost,
        reason=reason,
    )


def _tallies(order: Order, sample: int) -> dict[str | None, _Tally]:
    """The sample's calls to the target (None) and to each judge by its name."""
    spec = order.contract.parsed if order.contract else None
    tallies: dict[str | None, _Tally] = {
        None: _Tally(),
        **{name: _Tally() for name in order.judges},
    }
    payloads = order.version.records.order_by("ordinal").values_list("payload", flat=True)
    for payload in payloads[:sample]:
        record = orjson.loads(payload)
        messages = prompting.messages(record)
        reference = prompting.reference_of(record)
        answer = len(reference) // CHARACTERS_A_TOKEN + 1 if reference else ANSWER_TOKENS
        characters = sum(len(message.content) for message in messages)
        tallies[None].add(characters=characters + _standing(order.target), tokens=answer)
        if spec is not None and spec.judge_rules:
            subject = Subject(
                **subjects.given(record).fields, response="x" * (answer * CHARACTERS_A_TOKEN)
            )
            _add_opinions(tallies, spec, subject)
    return tallies


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
