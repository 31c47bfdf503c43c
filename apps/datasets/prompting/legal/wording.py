"""The words around a row's own: what comes before a question, and how an answer has to look."""

from collections.abc import Iterator, Mapping
from typing import Any

from . import policies

Payload = Mapping[str, Any]
Row = Mapping[str, Any]

MCQ_CONTRACT = (
    "Return only valid JSON with no markdown. Use this schema exactly: "
    '{"answer": "<choice_id>", "reasoning": "<short text>"}. '
    "The answer must be exactly one of the provided choice IDs."
)
"""The shape that the grader of multiple choice reads: part of the format, so word for word."""

ANY_COURSE = "Swiss law"
BEST_OPTION = "Choose the best option and say briefly why."
LAR_ECHR_PREFIX = (
    "What follows is taken from a judgment of the European Court of Human Rights. Decide which of "
    "the options carries the argument on, judging by the facts and the passage alone."
)
LEXAM_OPEN = (
    "This is a question of a written law exam in {course}. Answer it as a well prepared candidate "
    "would: in the language of the question, formally, in a clear order from issue to result. "
    "Swiss law applies unless the question says otherwise. Cite each provision that you rely on "
    "as exactly as you can, down to paragraph and letter. Where a text that the question refers "
    "to is not there, say that it is missing. Do not advise to ask a lawyer."
)
LEXAM_MCQ = (
    "This is a multiple-choice question of a written law exam in {course}; one option is right. "
    "Swiss law applies unless the question says otherwise. Work out the facts that matter, the "
    "rule that applies and its result, and check each option against them before you decide."
)
OPENINGS = {
    policies.APEX: (
        "You prepare finished work for a legal professional. Each task comes with its materials "
        "in full; rely on these first. Nobody can answer questions back: where something is "
        "open, choose the most sensible reading and deliver the complete result."
    ),
    **dict.fromkeys(
        (policies.DEFAULT, policies.INCLUDEBASE, policies.LAR_ECHR),
        "You are an experienced lawyer. Answer what is asked, precisely and completely, and name "
        "the rules that you rely on.",
    ),
}


def opening_of(policy: str) -> str:
    """What the system is told first; nothing where the policy sends the row's words alone."""
    return OPENINGS.get(policy, "")


def question_of(payload: Payload) -> str:
    """One message of the user for a row that brings no conversation."""
    row = payload["row"]
    policy = policies.policy_of(row)
    parts = [_question(row, policy), *brought_along(payload), *instructions_of(row)]
    return "\n\n".join(parts)


def brought_along(payload: Payload) -> Iterator[str]:
    """The row's context and the texts of its attachments, each under its heading."""
    context = payload["row"].get("context") or ""
    if context.strip():
        yield f"Context:\n{context}"
    for attachment in (payload.get("resolved") or {}).get("attachments", ()):
        text = attachment.get("text") or f"[no text: {attachment.get('error', 'it is empty')}]"
        yield f"Attachment {attachment['path']}:\n{text}"


def instructions_of(row: Row) -> Iterator[str]:
    """How the answer has to look, where a program reads it."""
    if row["task_type"] == "mcq":
        yield MCQ_CONTRACT


def _question(row: Row, policy: str) -> str:
    if policy == policies.APEX:
        return f"Field: legal\n\nTask:\n{_with_choices(row)}"
    if policy == policies.LAR_ECHR:
        return f"{LAR_ECHR_PREFIX}\n\n{_with_choices(row)}"
    if policy == policies.LEXAM_OPEN:
        return f"{LEXAM_OPEN.format(course=_course(row))}\n\nQuestion:\n{_with_choices(row)}"
    if policy == policies.LEXAM_MCQ:
        return f"{LEXAM_MCQ.format(course=_course(row))}\n\nQuestion:\n{_with_letters(row)}"
    return _with_choices(row)


def _with_choices(row: Row) -> str:
    if row["task_type"] != "mcq":
        return str(row["prompt"])
    return f"{row['prompt']}\n\nChoices:\n{_choices(row)}\n\n{BEST_OPTION}"


def _with_letters(row: Row) -> str:
    return f"{row['prompt']}\n\n{_choices(row)}" if row["task_type"] == "mcq" else row["prompt"]


def _choices(row: Row) -> str:
    return "\n".join(f"{choice['id']}. {choice['text']}" for choice in row["choices"])


def _course(row: Row) -> str:
    named = (row.get("metadata") or {}).get("course")
    return named.strip() if isinstance(named, str) and named.strip() else ANY_COURSE
