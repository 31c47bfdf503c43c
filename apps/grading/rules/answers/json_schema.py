"""JSON Schema where neither the schema nor the document is trusted.

jsonschema does the work. What could fetch, hang or exhaust the stack is refused when the schema
is saved (remote references, identifiers, patterns that RE2 refuses) or bounded in use.
"""

import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker, SchemaError, validators
from jsonschema.exceptions import ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from apps.artifacts.canonical import canonical
from apps.grading.rules.answers.patterns import compile_pattern
from apps.grading.rules.words import shown

MAX_SCHEMA_CHARACTERS = 100_000
MAX_SCHEMA_DEPTH = 30
MAX_SECONDS = 2.0
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_IDENTIFIERS = ("$id", "$dynamicRef", "$dynamicAnchor")
# These two look patterns up with Python's backtracking `re`, out of our reach.
_UNSUPPORTED = ("unevaluatedProperties", "unevaluatedItems")

Validator = Any  # the class that `validators.extend` makes has no type of its own
Keyword = Callable[[Any, Any, Any, Any], Any]
Errors = Iterator[ValidationError]

_deadline: ContextVar[float] = ContextVar("deadline")


class CannotCheck(Exception):
    """The document cannot be held against the schema; says why."""


def check_size(schema: Any) -> None:
    """ValueError where a schema is too large or too deep to look into."""
    if deeper_than(schema, MAX_SCHEMA_DEPTH):
        raise ValueError(f"the schema is nested deeper than {MAX_SCHEMA_DEPTH} levels")
    try:
        size = len(canonical(schema))
    except ValueError as error:
        raise ValueError(f"the schema is not JSON: {error}") from error
    if size > MAX_SCHEMA_CHARACTERS:
        raise ValueError(f"the schema has more than {MAX_SCHEMA_CHARACTERS:,} characters")


def check_schema(schema: dict[str, Any]) -> None:
    """ValueError with a sentence where this is no schema, or none that is safe to use."""
    if str(schema.get("$schema", DIALECT)).rstrip("#") != DIALECT:
        raise ValueError(f"$schema must be {DIALECT}, or absent")
    try:
        Draft202012Validator.check_schema(schema, format_checker=FormatChecker(()))
    except SchemaError as error:
        raise ValueError(f"not a JSON Schema: {error.json_path}: {error.message[:300]}") from error
    resolver = Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver()
    for part in _objects(schema):
        _check_keywords(part)
        _check_reference(part, resolver)


def validator(schema: dict[str, Any]) -> Validator:
    """A validator that never fetches anything; use it through `first_errors`."""
    return _BoundedValidator(schema, registry=Registry())


def first_errors(checked: Validator, document: Any, count: int) -> list[ValidationError]:
    """So many errors at most, as jsonschema finds them; CannotCheck where it takes too much."""
    token = _deadline.set(time.monotonic() + MAX_SECONDS)
    try:
        return list(itertools.islice(checked.iter_errors(document), count))
    except RecursionError as error:
        raise CannotCheck("Schema and answer together are nested too deeply to check.") from error
    finally:
        _deadline.reset(token)


def deeper_than(document: Any, levels: int) -> bool:
    """Whether objects and arrays are nested deeper than so many levels; `{}` is one level."""
    layer = [document] if isinstance(document, dict | list) else []
    for _ in range(levels):
        layer = [child for parent in layer for child in _containers(parent)]
    return bool(layer)


def _containers(parent: dict[str, Any] | list[Any]) -> list[Any]:
    children = parent.values() if isinstance(parent, dict) else parent
    return [child for child in children if isinstance(child, dict | list)]


def _objects(schema: Any) -> Iterator[dict[str, Any]]:
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        waiting.extend(_containers(part))
        if isinstance(part, dict):
            yield part


def _check_keywords(part: dict[str, Any]) -> None:
    for keyword in _IDENTIFIERS:
        if isinstance(part.get(keyword), str):
            raise ValueError(f"{keyword} is not supported; use $defs and a local $ref")
    for keyword in _UNSUPPORTED:
        if keyword in part:
            raise ValueError(f"{keyword} is not supported; use additionalProperties or items")
    patterns = part.get("patternProperties")
    for pattern in [part.get("pattern"), *(patterns if isinstance(patterns, dict) else [])]:
        if isinstance(pattern, str):
            compile_pattern(pattern)


def _check_reference(part: dict[str, Any], resolver: Any) -> None:
    target = part.get("$ref")
    if not isinstance(target, str):
        return
    if not target.startswith("#"):
        raise ValueError(f"$ref {shown(target)} is not local: it must start with #")
    try:
        resolver.lookup(target)
    except Unresolvable as error:
        raise ValueError(f"$ref {shown(target)} points nowhere") from error


def _pattern(validator: Validator, pattern: str, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, str) and not compile_pattern(pattern).search(instance):
        yield ValidationError(f"{shown(instance)} does not match {shown(pattern)}")


def _pattern_properties(
    validator: Validator, patterns: Mapping[str, Any], instance: Any, schema: Any
) -> Errors:
    if not isinstance(instance, dict):
        return
    for (pattern, subschema), (key, value) in itertools.product(patterns.items(), instance.items()):
        if compile_pattern(pattern).search(key):
            yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def _additional_properties(
    validator: Validator, allowed: Any, instance: Any, schema: Mapping[str, Any]
) -> Errors:
    if not isinstance(instance, dict):
        return
    for key in instance:
        if key in schema.get("properties", {}) or _matches_any(schema, key):
            continue
        if allowed is False:
            yield ValidationError(f"{shown(key)} is not one of the allowed properties")
        else:
            yield from validator.descend(instance[key], allowed, path=key)


def _matches_any(schema: Mapping[str, Any], key: str) -> bool:
    patterns = schema.get("patternProperties", {})
    return any(compile_pattern(pattern).search(key) for pattern in patterns)


def _unique_items(validator: Validator, wanted: Any, instance: Any, schema: Any) -> Errors:
    if not wanted or not isinstance(instance, list):
        return
    if len({_identity(item) for item in instance}) < len(instance):
        yield ValidationError("has items that are not unique")


def _identity(value: Any) -> Any:
    """Equal for equal JSON values: 1 is 1.0, but not true."""
    if isinstance(value, dict):
        return ("object", frozenset((key, _identity(item)) for key, item in value.items()))
    if isinstance(value, list):
        return ("array", tuple(_identity(item) for item in value))
    return ("boolean", value) if isinstance(value, bool) else value


def _bounded(keyword: Keyword) -> Keyword:
    def check(validator: Validator, value: Any, instance: Any, schema: Any) -> Any:
        if time.monotonic() > _deadline.get():
            raise CannotCheck(f"Holding the answer against the schema took over {MAX_SECONDS:g} s.")
        return keyword(validator, value, instance, schema)

    return check


# jsonschema matches patterns with `re`, which can take exponential time, and compares the items
# of a mixed array pairwise: ours are linear.
_OURS: dict[str, Keyword] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
}
_BoundedValidator = validators.create(
    meta_schema=Draft202012Validator.META_SCHEMA,
    validators={
        name: _bounded(keyword)
        for name, keyword in {**Draft202012Validator.VALIDATORS, **_OURS}.items()
    },
    type_checker=Draft202012Validator.TYPE_CHECKER,
)
