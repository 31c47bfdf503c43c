"""One case: what its keys mean in its era, and what is wrong with them."""

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.datasets.formats.agentv import columns, messages, prompts
from apps.datasets.formats.agentv.assertions import bare
from apps.datasets.formats.agentv.content import Files
from apps.datasets.formats.agentv.eras import FIRST, SKILLS, Era, era_of
from apps.datasets.formats.agentv.messages import Message
from apps.datasets.formats.agentv.notes import Notes
from apps.datasets.formats.agentv.prompts import Prompt

OBJECTS = ("execution", "vars", "metadata")
TEXTS = ("conversation_id", "criteria", "expected_outcome", "outcome")
OUTPUTS = ("expected_messages", "expected_output")
GOALS = ("criteria", "expected_outcome", "outcome")
GRADERS = ("assertions", "assert", "evaluators", "rubrics")

Row = dict[str, Any]
Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A case with its keys by one name each; `row` has variables put in and columns told."""

    row: Row
    era: Era
    id: str
    criteria: str
    vars: Fields = field(default_factory=dict)

    @property
    def conversation(self) -> str:
        return str(self.row.get("conversation_id") or "")


def case_of(row: Row, suite: Fields, notes: Notes) -> Case:
    """The case that a row means; what is wrong with its fields is noted."""
    era = era_of(row, suite)
    told = columns.as_case(row) if columns.has_columns(row) else row
    known = {key: value for key, value in told.items() if value is not None}
    _check_types(known, notes)
    variables = _variables(known, suite)
    case = Case(known, era, _id(known, era, notes), _criteria(known), variables)
    _require(case, suite, notes)
    return case


def asked(case: Case, suite: Fields, prompt: Prompt | None, files: Files) -> list[Message]:
    """The messages of the prompt, or of the case's own input behind that of the suite."""
    found, before = files.notes, len(files.notes.problems)
    sent = _sent(case, suite, prompt, files)
    if not sent and len(found.problems) == before:
        _missing(case.era.input, case.era, found)
    return sent


def _sent(case: Case, suite: Fields, prompt: Prompt | None, files: Files) -> list[Message]:
    if prompt is not None:
        return prompts.asked(prompt, case.vars, files, files.notes)
    own = _own(case, files.notes)
    if not own:
        return []
    shared = suite.get("input")
    before = messages.as_messages(shared, "input", files.notes) if shared else []
    paths = [*_paths(suite), *_paths(case.row)]
    return [*before, *_with_files(own, paths)]


def expected(case: Case, notes: Notes) -> list[Message]:
    for key in OUTPUTS:
        if key in case.row:
            if key == "expected_messages":
                return messages.required_array(case.row[key], key, notes)
            return messages.as_expected(case.row[key], key, notes)
    return messages.as_expected(case.vars.get("expected_output"), "vars.expected_output", notes)


def _own(case: Case, notes: Notes) -> list[Message]:
    row = case.row
    if "input_messages" in row:
        return messages.required_array(row["input_messages"], "input_messages", notes)
    if "turns" in row and "input" not in row:
        return _turns(row["turns"], notes)
    for key, holder in (("input", row), ("prompt", row), ("input", case.vars)):
        if holder.get(key) not in (None, ""):
            return messages.as_messages(holder[key], _path(key, case), notes)
    return []


def _path(key: str, case: Case) -> str:
    return key if key in case.row else f"vars.{key}"


def _turns(turns: Any, notes: Notes) -> list[Message]:
    if not isinstance(turns, list):
        notes.wrong_type("turns", "an array", turns)
        return []
    notes.told("turns_asked_at_once", "The turns are asked as one conversation.", "turns")
    inputs = [turn["input"] for turn in turns if isinstance(turn, dict) and turn.get("input")]
    return [each for value in inputs for each in messages.as_messages(value, "turns", notes)]


def _paths(holder: Fields) -> list[str]:
    stated = holder.get("files" if "prompt" in holder else "input_files")
    return [each for each in stated if isinstance(each, str)] if isinstance(stated, list) else []


def _with_files(own: list[Message], paths: list[str]) -> list[Message]:
    """The files of `input_files` before what the user says first."""
    at = next((n for n, message in enumerate(own) if message["role"] == "user"), None)
    if not paths or at is None:
        return own
    content = own[at].get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "value": content}]
    named = [{"type": "file", "value": path} for path in paths]
    return [*own[:at], {**own[at], "content": [*named, *parts]}, *own[at + 1 :]]


def _check_types(row: Row, notes: Notes) -> None:
    for key in OBJECTS:
        if key in row and not isinstance(row[key], dict):
            notes.wrong_type(key, "an object", row[key])
    for key in TEXTS:
        if key in row and not isinstance(row[key], str):
            notes.wrong_type(key, "a string", row[key])


def _id(row: Row, era: Era, notes: Notes) -> str:
    stated = row.get("id")
    if isinstance(stated, int) and not isinstance(stated, bool) and era is SKILLS:
        return str(stated)[:200]
    if stated is None or stated == "":
        _missing("id", era, notes)
    elif not isinstance(stated, str):
        notes.wrong_type("id", "a string", stated, 'Put it in quotes, such as "5".')
    return stated.strip() if isinstance(stated, str) else ""


def _criteria(row: Row) -> str:
    for key in GOALS:
        if isinstance(row.get(key), str) and row[key]:
            return str(row[key])
    return "\n".join(bare(row))


def _variables(row: Row, suite: Fields) -> Fields:
    """What the prompts may ask for: fields of the case, then variables of suite and test."""
    default = suite.get("default_test", suite.get("defaultTest"))
    shared = default.get("vars") if isinstance(default, dict) else None
    own = row.get("vars")
    plain = {key: value for key, value in row.items() if isinstance(value, str | int | float)}
    known: Row = {**plain, **{key: row[key] for key in ("input", "expected_output") if key in row}}
    layers = (own, shared, known)
    return ChainMap(*(layer for layer in layers if isinstance(layer, dict)))


def _require(case: Case, suite: Fields, notes: Notes) -> None:
    """That there is something to judge an answer by."""
    row, era = case.row, case.era
    if era is SKILLS or (era is not FIRST and _has_goal(case, suite)):
        return
    if not any(row.get(key) not in (None, "") for key in GOALS):
        _missing(era.goal, era, notes)


def _has_goal(case: Case, suite: Fields) -> bool:
    default = suite.get("default_test", suite.get("defaultTest"))
    execution = case.row.get("execution", suite.get("execution"))
    holders = [case.row, suite, *(each for each in (default, execution) if isinstance(each, dict))]
    graders = any(holder.get(key) for holder in holders for key in GRADERS)
    outputs = (*(case.row.get(key) for key in OUTPUTS), case.vars.get("expected_output"))
    return graders or any(value not in (None, "", []) for value in outputs)


def _missing(name: str, era: Era, notes: Notes) -> None:
    message = f"Missing required field: '{name}'"
    notes.wrong("missing_required_field", message, name, "", era.hint)
