"""Rows of LEXam."""

import ast
from typing import Any

from .beginning import Inconvertible, Raw, Row, beginning, text_of

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LONGEST_CHOICES = 100_000
KEPT = ("course", "language", "area", "jurisdiction", "year")


def lexam(raw: Raw, line: int) -> Row:
    """An exam question: open ones have one reference answer, the others choices."""
    asked = text_of(raw.get("question_type")).lower()
    named = str(raw.get("id") or f"line_{line}")
    is_open = asked == "open"
    metadata = {
        **{name: raw.get(name) for name in KEPT},
        "question_type": asked or None,
        "source_id": named,
        "policy_id": "lexam_oq_v1" if is_open else "lexam_mcq_v1",
    }
    graded, gold = _answer(raw) if is_open else _choices(raw)
    kind, task_type = ("open", "reference_qa") if is_open else ("mcq", "mcq")
    prompt = text_of(raw.get("question"))
    row = beginning(f"lexam:{kind}:{named}:{line}", "lexam", task_type, prompt)
    return {**row, "metadata": {**metadata, **gold}, **graded}


def _answer(raw: Raw) -> tuple[Row, Row]:
    answer = text_of(raw.get("answer"))
    if not answer:
        raise Inconvertible("LEXAM open question missing non-empty `answer`.")
    return {"reference_answers": [answer]}, {}


def _choices(raw: Raw) -> tuple[Row, Row]:
    """What is graded by, and what the metadata say of it."""
    texts = _choice_texts(raw.get("choices"))
    if len(texts) < 2:
        raise Inconvertible("LEXAM mcq row missing parseable `choices` with >=2 options.")
    gold = raw.get("gold")
    if not isinstance(gold, int | float) or isinstance(gold, bool):
        raise Inconvertible("LEXAM mcq row missing numeric `gold`.")
    if not 0 <= int(gold) < len(texts):
        raise Inconvertible(f"LEXAM mcq `gold` index out of range: {int(gold)}.")
    choices = [{"id": _letter(at), "text": text.strip()} for at, text in enumerate(texts)]
    right = [_letter(int(gold))]
    return {"choices": choices, "correct_choice_ids": right}, {"gold_index": int(gold)}


def _choice_texts(raw: Any) -> list[str]:
    """Of a list, or of a list that was written as Python into a string."""
    if isinstance(raw, str) and len(raw) <= LONGEST_CHOICES:
        try:
            raw = ast.literal_eval(raw.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return []
    return [str(each) for each in raw] if isinstance(raw, list) else []


def _letter(at: int) -> str:
    return LETTERS[at] if at < len(LETTERS) else f"CHOICE_{at}"
