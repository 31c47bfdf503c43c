"""Rows of PRBench."""

import json
import re
from collections.abc import Iterator

from .beginning import Inconvertible, Raw, Row, beginning, is_row, stable_hash, text_of

TURNS = range(10)
LONGEST_KEY = 100
NAMED = ("task", "id", "canary")
REFERENCE = re.compile(r"reference.*?(\d+)\Z", re.IGNORECASE | re.DOTALL)
WEIGHTS = tuple(
    f"{importance}_weight"
    for importance in (
        "critically_important",
        "important",
        "slightly_important",
        "detrimental",
        "slightly_detrimental",
        "critically_detrimental",
    )
)
KEPT = (
    "topic",
    "field",
    "expert",
    "category",
    "decision_type",
    "economic_pathway",
    "classified_countries",
    "scratchpad",
)


def prbench(raw: Raw, line: int) -> Row:
    """A conversation of up to ten turns, graded by a weighted rubric."""
    turns = [_turn(raw, number) for number in TURNS]
    messages = [message for turn in turns for message in _messages(turn)]
    prompts = [message["content"] for message in messages if message["role"] == "user"]
    if not prompts:
        raise Inconvertible("PRBench row has no non-empty user prompts (prompt_0..prompt_9).")
    named = str(next(filter(None, map(raw.get, NAMED)), "") or _hash_of(raw))
    metadata = {
        **{name: raw.get(name) for name in KEPT},
        "source_turns": turns,
        "source_id": named,
        "policy_id": "prbench_v1",
    }
    head = beginning(f"prbench:{named}", "prbench", "rubric_qa", prompts[-1])
    criteria = raw.get("rubric") if isinstance(raw.get("rubric"), list) else []
    rubric = [_criterion(at, each) for at, each in enumerate(criteria or (), 1) if is_row(each)]
    return {**head, "metadata": metadata, "messages": messages, "rubric": rubric}


def _turn(raw: Raw, number: int) -> Row:
    texts = {}
    for name in ("prompt", "response"):
        given = raw.get(f"{name}_{number}")
        if given is not None and not isinstance(given, str):
            raise Inconvertible(f"{name}_{number} must be a string or null.")
        texts[name] = text_of(given)
    return {"turn": number, **texts, "reference_texts": _references(raw, number)}


def _references(raw: Raw, number: int) -> list[str]:
    found = []
    for key, value in raw.items():
        match = REFERENCE.search(key[-LONGEST_KEY:])
        if match and int(match[1]) == number and isinstance(value, list):
            found += [text.strip() for text in value if isinstance(text, str) and text.strip()]
    return found


def _messages(turn: Row) -> Iterator[dict[str, str]]:
    if turn["prompt"]:
        texts = enumerate(turn["reference_texts"])
        blocks = [f"Reference Text {at}:\n{text}" for at, text in texts]
        yield {"role": "user", "content": "\n\n".join([*blocks, turn["prompt"]])}
    if turn["response"]:
        yield {"role": "assistant", "content": turn["response"]}


def _criterion(number: int, raw: Row) -> Row:
    criterion: Row = {
        "id": str(raw.get("id") or f"criterion_{number}"),
        "title": str(raw.get("title") or f"Criterion {number}").strip(),
    }
    annotations = raw.get("annotations")
    if isinstance(annotations, dict):
        description = text_of(annotations.get("criteria_description"))
        if description:
            criterion["description"] = description
        weights = (annotations.get(name) for name in WEIGHTS)
        weight = next((each for each in weights if isinstance(each, int | float)), None)
        if weight is not None:
            criterion["weight"] = float(weight)
    return criterion


def _hash_of(raw: Raw) -> str:
    return stable_hash(json.dumps(raw, sort_keys=True, ensure_ascii=False))
