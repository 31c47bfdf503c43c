"""Cases of a table: columns whose names begin with `__` or `vars.` say what they are for."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

Row = dict[str, Any]

EXPECTED = re.compile("__expected([0-9]*)")
CALLED = re.compile(r"((?:not-)?[a-z][a-z0-9-]*)(?:\((\d+(?:\.\d+)?)\))?(?::(.*))?", re.DOTALL)
JUDGED = ("grade:", "llm-rubric:")
PROGRAMS = {
    "javascript:": "inline-assert",
    "fn:": "inline-assert",
    "eval:": "inline-assert",
    "python:": "code-grader",
    "file://": "code-grader",
}
KNOWN = frozenset(
    (
        "contains",
        "contains-any",
        "contains-all",
        "icontains",
        "icontains-any",
        "icontains-all",
        "starts-with",
        "ends-with",
        "regex",
        "is-json",
        "equals",
        "latency",
        "cost",
    )
)
LISTS = ("-any", "-all")
LIMITS = {"latency": "threshold", "cost": "budget"}
OUTPUTS = ("__provider_output", "__providerOutput")
MOST_LEVELS = 20


def has_columns(row: Mapping[str, Any]) -> bool:
    return any(key.startswith(("__", "vars.")) for key in row)


def as_case(row: Mapping[str, Any]) -> Row:
    """The case that a row with such columns means; other columns are variables of prompts."""
    texts = {key.strip(): value for key, value in row.items() if isinstance(value, str)}
    named = {key: value for key, value in row.items() if not key.startswith(("__", "vars."))}
    case: Row = {**named, "vars": _variables(texts)}
    if "input" in texts:
        case["input"] = texts.get("__prefix", "") + texts["input"] + texts.get("__suffix", "")
    outputs = [texts[key] for key in OUTPUTS if texts.get(key)]
    graders = list(_graders(texts))
    added = {
        "criteria": texts.get("__description"),
        "expected_output": outputs[0] if outputs else None,
        "assert": graders,
        "metadata": dict(_metadata(texts)),
        "threshold": _number(texts.get("__threshold", "")),
    }
    return case | {key: value for key, value in added.items() if value not in (None, "", [], {})}


def _variables(texts: Mapping[str, str]) -> Row:
    found: Row = {}
    for key, value in texts.items():
        if not key.startswith("vars."):
            if not key.startswith("__"):
                found[key] = value
            continue
        path = [part.strip() for part in key.split(".", MOST_LEVELS)[1:] if part.strip()]
        _put(found, path or [key], value)
    return found


def _put(holder: Row, path: list[str], value: str) -> None:
    for part in path[:-1]:
        inner = holder.get(part)
        if not isinstance(inner, dict):
            inner = holder[part] = {}
        holder = inner
    holder[path[-1]] = value


def _graders(texts: Mapping[str, str]) -> Iterator[Row]:
    columns = [key for key in texts if EXPECTED.fullmatch(key) and texts[key].strip()]
    metric = texts.get("__metric", "")
    for number, key in enumerate(columns, 1):
        grader = grader_of(texts[key].strip())
        if metric:
            grader |= {
                "metric": metric,
                "name": metric if len(columns) == 1 else f"{metric}-{number}",
            }
        least = _number(texts.get(f"__config:{key}:threshold", ""))
        yield grader if least is None else {**grader, "min_score": least}


def grader_of(text: str) -> Row:
    """What an `__expected` cell asks for: `icontains:hello`, `grade:…`, or the whole answer."""
    for prefix in JUDGED:
        if text.startswith(prefix):
            return {"type": "llm-grader", "value": text.removeprefix(prefix).strip()}
    for prefix, kind in PROGRAMS.items():
        if text.startswith(prefix):
            return {"type": kind, "code": text.removeprefix(prefix).strip()}
    called = CALLED.fullmatch(text)
    if called is None or called[1].removeprefix("not-") not in KNOWN:
        return {"type": "equals", "value": text}
    return _called(*called.groups())


def _called(name: str, limit: str | None, value: str | None) -> Row:
    kind = name.removeprefix("not-")
    grader: Row = {"type": kind}
    if kind != name:
        grader["negate"] = True
    if kind.endswith(LISTS):
        grader["value"] = [part.strip() for part in (value or "").split(",") if part.strip()]
    elif value is not None:
        grader["value"] = value.strip()
    if limit is not None:
        grader[LIMITS.get(kind, "min_score")] = float(limit)
    return grader


def _metadata(texts: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    for key, value in texts.items():
        name = key.removeprefix("__metadata:")
        if name == key or not value.strip():
            continue
        if name.endswith("[]"):
            parts = (part.strip().replace("\\,", ",") for part in re.split(r"(?<!\\),", value))
            yield name[:-2], [part for part in parts if part]
        else:
            yield name, value


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if abs(found) < 1e300 else None
