"""The prompts of the fifth era: templates that each test fills with its variables."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.datasets.formats.agentv.assertions import is_path
from apps.datasets.formats.agentv.content import Files
from apps.datasets.formats.agentv.messages import Message, as_messages, is_message
from apps.datasets.formats.agentv.notes import Notes
from apps.datasets.formats.agentv.variables import filled

VARIABLE = re.compile(r"\{\{-?\s*([A-Za-z_][\w.\-]{0,200}?)\s*-?\}\}")
MORE = re.compile(r"\{%|\{\{[^{}]{0,200}[|(]")
PROGRAMS = (".py", ".js", ".ts", ".mjs", ".cjs", ".sh")
LABEL = re.compile(r"[\w.\-]{1,40}")
MOST_PROMPTS = 20


@dataclass(frozen=True, slots=True)
class Prompt:
    """`label` tells the records of one test apart where there are several prompts."""

    said: Any
    label: str
    number: int
    of: int


def prompts_of(suite: Mapping[str, Any]) -> tuple[Prompt, ...]:
    """The suite's prompts; programs are left out, since nothing that is uploaded is run."""
    stated = suite.get("prompts")
    listed = stated if isinstance(stated, list) and not _is_chat(stated) else [stated]
    texts = [(_said(each), _label(each)) for each in listed[:MOST_PROMPTS] if each]
    kept = [(said, label) for said, label in texts if said and not _is_program(said)]
    labels = [label for _, label in kept]
    return tuple(
        Prompt(said, label if labels.count(label) == 1 and label else str(n), n, len(kept))
        for n, (said, label) in enumerate(kept, 1)
    )


def left_out(suite: Mapping[str, Any]) -> list[str]:
    """Sentences about prompts that cannot be asked."""
    stated = suite.get("prompts")
    listed = stated if isinstance(stated, list) else [stated]
    told = [
        f"The prompt {_said(each)[:200]} is a program: programs are not run, it was left out."
        for each in listed
        if _is_program(_said(each))
    ]
    texts = [said for said in map(_said, listed[:MOST_PROMPTS]) if isinstance(said, str)]
    if any(map(MORE.search, texts)):
        told.append("Of templates only {{ variable }} is put in: filters and blocks stay text.")
    if len(listed) > MOST_PROMPTS and not _is_chat(listed):
        told.append(f"The first {MOST_PROMPTS} prompts of {len(listed)} were taken.")
    return told


def asked(
    prompt: Prompt, variables: Mapping[str, Any], files: Files, notes: Notes
) -> list[Message]:
    """The messages of a prompt with the variables put in; raises TooLong."""
    said = prompt.said
    if isinstance(said, str) and is_path(said):
        found = files.get(said, "prompts", "prompt")
        said = found.text if found else said
    return as_messages(_filled(said, variables, files), "prompts", notes)


def _filled(said: Any, known: Mapping[str, Any], files: Files) -> Any:
    if isinstance(said, list):
        return [_filled(each, known, files) for each in said]
    if isinstance(said, dict):
        return {key: _filled(each, known, files) for key, each in said.items()}
    if not isinstance(said, str):
        return said
    whole = VARIABLE.fullmatch(said.strip())
    if whole and not isinstance(_found(whole[1], known, files), str):
        return _found(whole[1], known, files)
    return filled(VARIABLE, said, lambda found: _text(_found(found[1], known, files)))


def _found(name: str, known: Mapping[str, Any], files: Files) -> Any:
    """A variable, or a field of one: `user.name`."""
    value: Any = known
    for part in [name] if name in known else name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            message = f"The prompt asks for {name}, which the test has no value for."
            hint = "Add it to vars of the test."
            files.notes.told("unknown_variable", message, "vars", hint)
            return ""
        value = value[part]
    return _value(value, files, name)


def _value(value: Any, files: Files, name: str) -> Any:
    """A variable that names a file is its text."""
    if not isinstance(value, str) or not value.startswith("file://"):
        return value
    if _is_program(value):
        return ""
    found = files.get(value, f"vars.{name}", "input")
    return found.text if found else ""


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _said(prompt: Any) -> Any:
    if isinstance(prompt, dict) and not is_message(prompt):
        return next((prompt[key] for key in ("raw", "prompt", "path", "id") if prompt.get(key)), "")
    return prompt or ""


def _label(prompt: Any) -> str:
    if not isinstance(prompt, dict):
        return ""
    named = prompt.get("label") or prompt.get("id")
    return named if isinstance(named, str) and LABEL.fullmatch(named) else ""


def _is_program(said: Any) -> bool:
    if not isinstance(said, str) or not is_path(said.split("\n")[0] + ".md"):
        return False
    path = re.sub(r":\w+$", "", said.removeprefix("file://"))
    return said.startswith("exec:") or path.lower().endswith(PROGRAMS)


def _is_chat(listed: Sequence[Any]) -> bool:
    """Whether the prompts are rather one prompt of several messages."""
    return bool(listed) and all(map(is_message, listed))
