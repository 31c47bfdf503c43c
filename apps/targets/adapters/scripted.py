"""Answers by a script: deterministic by the prompt, for demos and tests, never a model.

As a system it gives the record's right answer, or, for `wrong_rate` of the prompts, a wrong one.
As a judge it gives strict JSON with a mark for each criterion the prompt asks about.
"""

import asyncio
import hashlib
import time

from apps.targets.contracts import Ask, Reply, Usage
from apps.targets.paths import value_or_none
from apps.targets.prices import cost_of
from apps.targets.specs import PlannedError, ScriptedSpec

from .scripted_judge import judge_answer

WRONG_ANSWER = "I do not know."
_CHARACTERS_PER_TOKEN = 4


class ScriptedAdapter:
    def __init__(self, spec: ScriptedSpec) -> None:
        self._spec = spec
        self._slots = asyncio.Semaphore(spec.concurrency)

    async def ask(self, ask: Ask) -> Reply:
        dice = Dice(self._spec.seed, ask)
        async with self._slots:
            started = time.perf_counter()
            await asyncio.sleep(self._latency_s(dice))
            error = planned_error(self._spec, ask, dice)
            text = None if error else scripted_answer(self._spec, ask, dice)
            latency_ms = round((time.perf_counter() - started) * 1000)
        if error:
            return _failure(error, dice, latency_ms)
        return self._answer(ask, text or WRONG_ANSWER, dice, latency_ms)

    def _latency_s(self, dice: "Dice") -> float:
        factor = 1 + self._spec.latency_spread * (2 * dice.roll("latency") - 1)
        return self._spec.latency_ms * factor / 1000

    def _answer(self, ask: Ask, text: str, dice: "Dice", latency_ms: int) -> Reply:
        usage = _estimated(ask, text)
        return Reply(
            text=text,
            latency_ms=latency_ms,
            usage=usage,
            cost=cost_of(usage, self._spec.price_input, self._spec.price_output),
            model="scripted",
            finish_reason="stop",
            request_sha256=dice.sha256,
        )


class Dice:
    """Numbers in [0, 1) that depend on the seed, the messages, the trial and a purpose alone."""

    def __init__(self, seed: int, ask: Ask) -> None:
        first = next((m.content for m in ask.messages if m.role == "user"), "")
        text = f"{seed}\x00{ask.trial}\x00{ask.system}\x00{first}"
        if ask.turn:
            text += f"\x00{ask.turn}\x00{ask.prompt}"
        self.sha256 = hashlib.sha256(text.encode()).hexdigest()

    def roll(self, purpose: str) -> float:
        digest = hashlib.sha256(f"{purpose}\x00{self.sha256}".encode()).digest()
        return int.from_bytes(digest[:6], "big") / 2**48


def planned_error(spec: ScriptedSpec, ask: Ask, dice: Dice) -> PlannedError | None:
    """The error this prompt meets in this attempt, if any."""
    roll = dice.roll("error")
    for error in spec.planned_errors:
        if roll < error.share:
            return error if error.attempts == 0 or ask.attempt <= error.attempts else None
        roll -= error.share
    return None


def scripted_answer(spec: ScriptedSpec, ask: Ask, dice: Dice) -> str:
    if ask.prompt in spec.canned:
        return spec.canned[ask.prompt]
    wrong = dice.roll("answer") < spec.wrong_rate
    if spec.plays == "judge":
        return judge_answer(spec, ask, wrong=wrong, breaks=dice.roll("json") < spec.broken_json)
    return WRONG_ANSWER if wrong else _right_answer(spec, ask, dice)


def _right_answer(spec: ScriptedSpec, ask: Ask, dice: Dice) -> str:
    found = value_or_none(ask.record, spec.answer_field)
    return found if isinstance(found, str) and found else f"Scripted answer {dice.sha256[:8]}."


def _failure(error: PlannedError, dice: Dice, latency_ms: int) -> Reply:
    return Reply(
        error_code=error.code,
        detail="A planned error of the scripted target.",
        latency_ms=latency_ms,
        model="scripted",
        retry_after_ms=error.retry_after_ms,
        request_sha256=dice.sha256,
    )


def _estimated(ask: Ask, text: str) -> Usage:
    asked = sum(len(message.content) for message in ask.messages)
    tokens_in = max(1, asked // _CHARACTERS_PER_TOKEN)
    tokens_out = max(1, len(text) // _CHARACTERS_PER_TOKEN)
    return Usage(
        input_tokens=tokens_in, output_tokens=tokens_out, total_tokens=tokens_in + tokens_out
    )
