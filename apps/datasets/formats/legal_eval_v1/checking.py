"""What is wrong with a row: the sentences of the format's validator, in its order."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, TypeGuard

from apps.datasets.formats.building import Problem
from apps.datasets.prompting import legal

from .shape import FIELDS, FORBIDDEN, REQUIRED, ROLES, SCHEMA_VERSION, TASK_TYPES

Row = dict[str, Any]
Problems = Iterator[Problem]
Check = Callable[[str, Row], Problems]

KNOWN = frozenset(FIELDS)
LONGEST_NAMED = 200
LONGEST_LIST = 2_000
COUNTED = 10_000


def problems_of(row: Any) -> list[Problem]:
    """Everything that keeps a row from being one of this format."""
    if not isinstance(row, dict):
        return [Problem("invalid_field_type", "Row must be a JSON object.", value=row)]
    missing = sorted(name for name in REQUIRED if name not in row)
    if missing:
        named = ", ".join(missing)
        return [Problem("missing_required_field", f"Missing required fields: {named}.", named)]
    found = [*_version(row), *_texts(row)]
    if row["task_type"] not in TASK_TYPES:
        return [*found, _not_one_of("task_type", row["task_type"], TASK_TYPES)]
    by_task = TASKS[row["task_type"]](row)
    rest = chain(_optional(row), _messages(row), _attachments(row), by_task)
    return [*found, *islice(rest, COUNTED)]


def warnings_of(row: Row) -> list[Problem]:
    """What is told of a good row: fields that nobody knows, a policy that nobody has."""
    found = []
    unknown = sorted(row.keys() - KNOWN)
    if unknown:
        listed = clipped(", ".join(unknown), LONGEST_LIST)
        sentence = f"Unknown top-level fields present (consider moving into `metadata`): {listed}."
        found.append(Problem("unknown_field", sentence, clipped(unknown[0])))
    if legal.names_unknown_policy(row):
        found.append(_unknown_policy(row["metadata"]["policy_id"]))
    return found


def clipped(text: str, longest: int = LONGEST_NAMED) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _version(row: Row) -> Problems:
    if row["schema_version"] != SCHEMA_VERSION:
        sentence = f"`schema_version` must be `{SCHEMA_VERSION}`."
        yield Problem("invalid_enum_value", sentence, "schema_version", row["schema_version"])


def _texts(row: Row) -> Problems:
    for name in ("id", "dataset", "prompt"):
        if not _is_text(row[name]):
            yield _no_text(name, row[name])


def _optional(row: Row) -> Problems:
    for name, kind, called in (("context", str, "a string"), ("metadata", dict, "an object")):
        if name in row and not isinstance(row[name], kind):
            yield _not_a(called, name, row[name])


def _messages(row: Row) -> Problems:
    return _where_given("messages", row.get("messages"), _turn)


def _attachments(row: Row) -> Problems:
    return _where_given("attachments", row.get("attachments"), _attachment)


def _turn(path: str, turn: Row) -> Problems:
    role = turn.get("role")
    if not _is_text(role):
        yield _no_text(f"{path}.role", role)
    elif role not in ROLES:
        yield _not_one_of(f"{path}.role", role, ROLES)
    yield from _text_of(turn, "content", path)


def _attachment(path: str, attachment: Row) -> Problems:
    yield from _text_of(attachment, "path", path)
    for name in ("kind", "title"):
        if name in attachment and not isinstance(attachment[name], str):
            yield _not_a("a string", f"{path}.{name}", attachment[name])


def _criterion(path: str, criterion: Row) -> Problems:
    yield from _text_of(criterion, "id", path)
    yield from _text_of(criterion, "title", path)
    if not isinstance(criterion.get("description", ""), str):
        yield _not_a("a string", f"{path}.description", criterion["description"])
    if not isinstance(criterion.get("weight", 1), int | float):
        yield _not_a("a number", f"{path}.weight", criterion["weight"])


# -- by task type ---------------------------------------------------------------------------


def _rubric_qa(row: Row) -> Problems:
    if _is_filled(row.get("rubric")):
        yield from _objects("rubric", row["rubric"], _criterion)
    else:
        yield _empty("rubric", row)
    answers = row.get("reference_answers", [])
    if isinstance(answers, list):
        yield from _answers(answers)
    else:
        yield _not_a("an array", "reference_answers", answers)
    yield from _forbidden(row)


def _reference_qa(row: Row) -> Problems:
    if _is_filled(row.get("reference_answers")):
        yield from _answers(row["reference_answers"])
    else:
        yield _empty("reference_answers", row)
    yield from _forbidden(row)


def _mcq(row: Row) -> Problems:
    choices = row.get("choices")
    if isinstance(choices, list) and len(choices) >= 2:
        ids: set[str] = set()
        yield from _objects("choices", choices, lambda path, each: _choice(path, each, ids))
        yield from _correct(row, ids)
    else:
        sentence = "`choices` must be an array with at least 2 elements."
        yield Problem("invalid_field_type", sentence, "choices", choices)
    yield from _forbidden(row)


TASKS = {"rubric_qa": _rubric_qa, "reference_qa": _reference_qa, "mcq": _mcq}


def _choice(path: str, choice: Row, seen: set[str]) -> Problems:
    """Also notes the id in `seen`."""
    named = choice.get("id")
    if not _is_text(named):
        yield _no_text(f"{path}.id", named)
    elif named in seen:
        sentence = f"`{path}.id` must be unique; duplicate `{clipped(named)}`."
        yield Problem("duplicate_choice_id", sentence, f"{path}.id", named)
    else:
        seen.add(named)
    yield from _text_of(choice, "text", path)


def _correct(row: Row, known: set[str]) -> Problems:
    if not _is_filled(row.get("correct_choice_ids")):
        yield _empty("correct_choice_ids", row)
        return
    seen: set[str] = set()
    for at, named in enumerate(row["correct_choice_ids"]):
        path = f"correct_choice_ids[{at}]"
        if not _is_text(named):
            yield _no_text(path, named)
        elif named in seen:
            sentence = f"`{path}` duplicates choice id `{clipped(named)}`."
            yield Problem("duplicate_choice_id", sentence, path, named)
        else:
            seen.add(named)
            if named not in known:
                sentence = f"`{path}` references unknown choice id `{clipped(named)}`."
                yield Problem("unknown_choice_id", sentence, path, named)


def _answers(answers: list[Any]) -> Problems:
    for at, answer in enumerate(answers):
        if not _is_text(answer):
            yield _no_text(f"reference_answers[{at}]", answer)


def _forbidden(row: Row) -> Problems:
    """Being there is enough, even as null."""
    for name in FORBIDDEN[row["task_type"]]:
        if name in row:
            sentence = f"`{name}` is forbidden for task_type={row['task_type']}."
            yield Problem("unsupported_field", sentence, name, row[name])


# -- what all of them say -------------------------------------------------------------------


def _where_given(name: str, value: Any, check: Check) -> Problems:
    if isinstance(value, list):
        yield from _objects(name, value, check)
    elif value is not None:
        yield _not_a("an array", name, value)


def _objects(name: str, items: list[Any], check: Check) -> Problems:
    for at, item in enumerate(items):
        if isinstance(item, dict):
            yield from check(f"{name}[{at}]", item)
        else:
            sentence = f"`{name}[{at}]` must be an object."
            yield Problem("invalid_field_type", sentence, f"{name}[{at}]", item)


def _text_of(item: Row, name: str, path: str) -> Problems:
    if not _is_text(item.get(name)):
        yield _no_text(f"{path}.{name}", item.get(name))


def _is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


def _is_filled(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


def _no_text(path: str, value: Any) -> Problem:
    sentence = f"`{path}` must be a non-empty string."
    return Problem("invalid_field_value", sentence, path, value)


def _empty(name: str, row: Row) -> Problem:
    sentence = f"`{name}` must be a non-empty array."
    return Problem("invalid_field_value", sentence, name, row.get(name, ""))


def _not_a(called: str, path: str, value: Any) -> Problem:
    sentence = f"`{path}` must be {called} when provided."
    return Problem("invalid_field_type", sentence, path, value)


def _not_one_of(path: str, value: Any, allowed: Sequence[str]) -> Problem:
    sentence = f"`{path}` must be one of: {', '.join(allowed)}."
    return Problem("invalid_enum_value", sentence, path, value)


def _unknown_policy(named: Any) -> Problem:
    called = f" `{clipped(named)}`" if isinstance(named, str) else ""
    return Problem(
        "unknown_policy",
        f"`metadata.policy_id`{called} is not known: {legal.DEFAULT} is used.",
        "metadata.policy_id",
        named,
        f"Use one of {', '.join(legal.POLICIES)}, or leave it as it is.",
    )
