"""The graders of a case, whatever its era called them, by the names of the third."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from apps.datasets.formats.agentv.content import Files
from apps.datasets.formats.agentv.notes import Notes, type_name

NEVER_EXECUTED = "never_executed"
"""Marks a code grader: it is kept and shown, and gives no score."""

OF = "of"
SUITE = "suite"
"""Mark a grader that came from the suite: it holds for all of its cases."""

KEYS = ("assertions", "assert", "evaluators")
RENAMED = {
    "llm-judge": "llm-grader",
    "llm-rubric": "llm-grader",
    "rubric": "llm-grader",
    "rubrics": "llm-grader",
    "code-judge": "code-grader",
    "script": "code-grader",
    "python": "code-grader",
    "javascript": "code-grader",
    "inline-assert": "code-grader",
    "assert-set": "composite",
}
CODE = ("code-grader", "webhook", "ruby")
COMMANDS = ("script", "command", "code")
TEXT_FILES = (".md", ".txt", ".prompt")

Grader = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shared:
    """What a suite gives to all of its cases: its graders, and those of its execution."""

    graders: list[Grader]
    of_execution: list[Grader]
    files: Files


def shared(suite: Mapping[str, Any], files: Files) -> Shared:
    """Read once, since it is the same for every case."""
    execution = suite.get("execution")
    inner = _first(execution, "execution.", files.notes) if isinstance(execution, dict) else []
    graders = _graders(_of_suite(suite, files.notes), "assertions", files)
    of_execution = _graders(inner or [], "execution.evaluators", files)
    return Shared(_marked(graders), _marked(of_execution), files)


def _marked(graders: Iterable[Grader]) -> list[Grader]:
    return [{**grader, OF: SUITE} for grader in graders]


def in_force(
    case: Mapping[str, Any], execution: Mapping[str, Any], suite: Shared, files: Files
) -> list[Grader]:
    """The case's own graders (else those of the execution in force), then the suite's.

    `rubrics` of a case come first. `execution.skip_defaults` leaves the suite's out.
    """
    rest = [] if execution.get("skip_defaults") is True else suite.graders
    files.take_over(suite.files)
    inline = _inline(case.get("rubrics"), files.notes)
    return [*inline, *_own(case, suite, files), *rest]


def _own(case: Mapping[str, Any], suite: Shared, files: Files) -> list[Grader]:
    stated = _first(case, "", files.notes)
    if stated is not None:
        return list(_graders(stated, "assertions", files))
    execution = case.get("execution")
    if not isinstance(execution, dict):
        return suite.of_execution
    inner = _first(execution, "execution.", files.notes) or []
    return list(_graders(inner, "execution.evaluators", files))


def rubrics(values: Any) -> list[Grader]:
    """Criteria as objects with id, outcome, weight and whether they are required."""
    listed = values if isinstance(values, list) else [values]
    return [_rubric(value, number) for number, value in enumerate(listed, 1)]


def bare(case: Mapping[str, Any]) -> list[str]:
    """The criteria that a case states as plain texts among its graders."""
    listed = [value for key in KEYS for value in _listed(case.get(key))]
    return [value for value in listed if isinstance(value, str)]


def kind_of(said: str) -> tuple[str, bool]:
    """The name of a type in the third era, and whether it is to be turned round."""
    name = said.replace("_", "-")
    negate = name.startswith("not-")
    name = name.removeprefix("not-")
    return RENAMED.get(name, name), negate


def _first(holder: Mapping[str, Any], prefix: str, notes: Notes) -> list[Any] | None:
    found: list[Any] | None = None
    for key in KEYS:
        value = holder.get(key)
        if value is None:
            continue
        if not isinstance(value, str | list):
            notes.wrong_type(f"{prefix}{key}", "an array", value)
        elif found is None:
            found = _listed(value)
    return found


def _of_suite(suite: Mapping[str, Any], notes: Notes) -> list[Any]:
    default = suite.get("default_test", suite.get("defaultTest"))
    inner = _first(default, "default_test.", notes) if isinstance(default, dict) else None
    return [*(_first(suite, "", notes) or []), *(inner or [])]


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, str) else []


def _inline(value: Any, notes: Notes) -> list[Grader]:
    if value is None:
        return []
    if not isinstance(value, list):
        notes.wrong_type("rubrics", "an array", value)
        return []
    return [{"name": "rubrics", "type": "llm-grader", "rubrics": rubrics(value)}] if value else []


def _graders(entries: list[Any], path: str, files: Files) -> Iterator[Grader]:
    for number, entry in enumerate(entries):
        at = f"{path}[{number}]"
        if isinstance(entry, str):
            yield {"name": "criterion", "type": "llm-grader", "rubrics": rubrics(entry)}
        elif isinstance(entry, dict):
            yield _grader(entry, at, files)
        else:
            message = f"Field '{at}' must be a grader or a text, got {type_name(entry)}"
            files.notes.wrong("invalid_field_type", message, at, entry)


def _grader(entry: Grader, path: str, files: Files) -> Grader:
    said = entry.get("type")
    if not isinstance(said, str) or not said:
        files.notes.told("grader_without_type", f"The grader {path} has no type.", path)
        said = "unknown"
    kind, negate = kind_of(said)
    grader = {**entry, "name": _name(entry, said), "type": kind}
    if negate:
        grader["negate"] = True
    if kind in CODE or any(key in entry for key in COMMANDS):
        grader[NEVER_EXECUTED] = True
    elif kind == "llm-grader":
        grader |= _judged(entry, path, files)
    for key in KEYS:
        if isinstance(entry.get(key), list) and kind == "composite":
            grader[key] = list(_graders(entry[key], f"{path}.{key}", files))
    return grader


def _name(entry: Grader, said: str) -> str:
    named = entry.get("name") or entry.get("metric")
    return named if isinstance(named, str) else said


def _judged(entry: Grader, path: str, files: Files) -> Grader:
    """What a judge needs: its criteria as objects, and where its prompt is when it is a file."""
    added: Grader = {}
    stated = next((entry[k] for k in ("rubrics", "criteria", "value") if entry.get(k)), None)
    if isinstance(stated, str | list):
        added["rubrics"] = rubrics(stated)
    prompt = entry.get("prompt")
    if isinstance(prompt, dict | list):
        added[NEVER_EXECUTED] = True
    elif isinstance(prompt, str) and is_path(prompt):
        found = files.get(prompt, f"{path}.prompt", "grader")
        added |= {"prompt_path": found.path} if found else {}
    return added


def is_path(text: str) -> bool:
    """Whether a text names a file with a prompt rather than being one."""
    if len(text) > 400 or any(char.isspace() for char in text.strip()):
        return False
    return text.startswith("file://") or text.lower().endswith(TEXT_FILES)


def _rubric(value: Any, number: int) -> Grader:
    usual = {"id": f"rubric-{number}", "weight": 1.0, "required": True}
    if not isinstance(value, dict):
        return {**usual, "outcome": value if isinstance(value, str) else str(value)}
    stated = next((value[k] for k in ("outcome", "description", "criteria") if k in value), "")
    return {**usual, "outcome": stated, **value}
