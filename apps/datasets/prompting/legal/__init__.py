"""Rows of legal_eval_v1: put together and judged by the policy that each of them names.

`policies` says what the policies are, `wording` how a question is put together.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.targets.contracts import Message

from .policies import DEFAULT, POLICIES, Judging, judging_of, names_unknown_policy, policy_of
from .wording import brought_along, instructions_of, opening_of, question_of

__all__ = [
    "DEFAULT",
    "POLICIES",
    "Judging",
    "answer_of",
    "judging_of",
    "messages",
    "names_unknown_policy",
    "policy_of",
    "reference_of",
]

Payload = Mapping[str, Any]


def messages(payload: Payload) -> tuple[Message, ...]:
    """The row's conversation up to its answer, else its question as the policy words it."""
    turns = _before_the_answer(_conversation(payload))
    spoken = any(turn.role == "user" for turn in turns)
    asked = _with_the_rest(turns, payload) if spoken else (*turns, _user(question_of(payload)))
    opening = opening_of(policy_of(payload["row"]))
    if not opening or any(turn.role == "system" for turn in turns):
        return asked
    return (Message(role="system", content=opening), *asked)


def reference_of(payload: Payload) -> str | None:
    """The reference answers, one a line; of multiple choice the options that are right."""
    row = payload["row"]
    if row["task_type"] == "mcq":
        right = [each for each in row["choices"] if each["id"] in row["correct_choice_ids"]]
        return "\n".join(f"{choice['id']}. {choice['text']}" for choice in right)
    return "\n".join(row.get("reference_answers") or ()) or None


def answer_of(payload: Payload) -> str | None:
    """What the assistant says last, where the conversation ends with it."""
    turns = _conversation(payload)
    return turns[-1].content if turns and turns[-1].role == "assistant" else None


def _conversation(payload: Payload) -> tuple[Message, ...]:
    given = payload["row"].get("messages") or ()
    return tuple(Message(role=turn["role"], content=turn["content"]) for turn in given)


def _before_the_answer(turns: tuple[Message, ...]) -> tuple[Message, ...]:
    return turns[:-1] if turns and turns[-1].role == "assistant" else turns


def _with_the_rest(turns: Sequence[Message], payload: Payload) -> tuple[Message, ...]:
    """The turns, with what the row brings along joined to the last one of the user."""
    rest = [*brought_along(payload), *instructions_of(payload["row"])]
    last = max(at for at, turn in enumerate(turns) if turn.role == "user")
    told = "\n\n".join([turns[last].content, *rest])
    return (*turns[:last], _user(told), *turns[last + 1 :])


def _user(content: str) -> Message:
    return Message(role="user", content=content)
