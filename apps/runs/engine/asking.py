"""Asking the target: once, or the inputs of a session one after the other."""

from collections.abc import Callable, Sequence

from apps.datasets import prompting
from apps.runs.contracts import Held
from apps.targets.contracts import Ask, Message, Reply

from .items import Call, Item, Note, Party
from .turns import together


class Asking:
    """Asks one target; `enough` says when no further turn of a session is to be begun."""

    def __init__(self, target: Party, note: Note, enough: Callable[[], bool]) -> None:
        self._target = target
        self._note = note
        self._enough = enough

    async def answer(self, item: Item) -> Reply | None:
        """The whole answer or the failure that came instead; None where time is over before it.

        What was answered stays in the item, turn by turn: whoever goes on asks only the rest.
        """
        inputs = prompting.inputs(item.payload) if self._target.converses else ()
        if not inputs:
            return await self._ask(item, prompting.messages(item.payload), turn=0, call="")
        for turn in range(len(item.held.turns), len(inputs)):
            if item.held.turns and self._enough():
                return None
            reply = await self._ask_turn(item, inputs, turn)
            if reply.error_code is not None:
                return reply
        return together(item.held.turns)

    def allows(self, held: Held) -> bool:
        """Whether what failed may be asked once more."""
        return held.tried < self._target.max_attempts

    async def _ask_turn(self, item: Item, inputs: Sequence[str], turn: int) -> Reply:
        several = len(inputs) > 1
        said = _conversation(inputs[: turn + 1], item.held.turns)
        reply = await self._ask(item, said, turn=turn, call=str(turn + 1) if several else "")
        if reply.error_code is None:
            got = {
                "turns": (*item.held.turns, reply),
                "answered_attempts": item.held.target_attempts,
            }
            item.held = item.held.model_copy(update=got)
        elif several:
            where = f"Turn {turn + 1} of {len(inputs)}: {reply.detail}"
            reply = reply.model_copy(update={"detail": where})
        return reply

    async def _ask(
        self, item: Item, messages: tuple[Message, ...], *, turn: int, call: str
    ) -> Reply:
        number = item.held.tried + 1
        ask = Ask(
            record_id=item.record_id,
            messages=messages,
            record=item.payload,
            trial=item.trial,
            attempt=number,
            session_id=item.session_id,
            turn=turn,
        )
        started, reply = await self._target.ask(ask)
        # noted before it is held: a worker that dies between the two asks again, under this number
        self._note(Call(item.ordinal, item.trial, "target", "", call, number, started, reply))
        asked = {
            "target_attempts": item.held.target_attempts + 1,
            "first_attempt_at": item.held.first_attempt_at or started,
            "last_attempt_at": started,
        }
        item.held = item.held.model_copy(update=asked)
        return reply


def _conversation(inputs: Sequence[str], replies: Sequence[Reply]) -> tuple[Message, ...]:
    """What both sides said so far, this input last."""
    said = []
    for text, reply in zip(inputs, replies, strict=False):
        said += [
            Message(role="user", content=text),
            Message(role="assistant", content=reply.text or ""),
        ]
    return (*said, Message(role="user", content=inputs[-1]))
