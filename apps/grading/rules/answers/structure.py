"""Rules on the structure of the answer: valid JSON, and JSON that follows a schema."""

import functools
import json
import re
from typing import Any, Literal, NoReturn, Self

import orjson
from jsonschema.exceptions import ValidationError
from pydantic import Field, field_validator, model_validator

from apps.grading.contracts import Check, Score, Subject
from apps.grading.rules.answers import json_schema as schemas
from apps.grading.rules.base import Example, Rule
from apps.grading.rules.words import kept

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 100
_LISTED = 5
_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_FENCE = re.compile(r"```(?:json|JSON)?[ \t]*\r?\n(.*)\r?\n?```", re.DOTALL)


class ValidJson(Rule):
    """The answer is JSON, and follows a JSON Schema where one is given: 1, otherwise 0.

    NaN, Infinity, numbers beyond double precision's range, more than 1,000,000 characters and
    more than 100 levels are not valid here. The schema is Draft 2020-12 without remote
    references; its patterns are RE2.
    """

    title = "Valid JSON"
    examples = (
        Example(
            says="The schema asks for a number.",
            settings={"json_schema": {"properties": {"age": {"type": "number"}}}},
            subject=Subject(response='{"age": "seven"}'),
            value=0.0,
        ),
        Example(
            says="JSON in a fence, where the rule allows it.",
            settings={"allow_fence": True},
            subject=Subject(response='```json\n{"age": 7}\n```'),
            value=1.0,
        ),
    )

    type: Literal["valid_json"] = "valid_json"
    allow_fence: bool = Field(
        default=False,
        title="Allow a code fence",
        description="The JSON may stand alone inside ``` or ```json fences.",
    )
    json_schema: dict[str, Any] | None = Field(
        default=None,
        title="JSON Schema",
        description="Draft 2020-12, with local $ref only; empty: any JSON will do.",
    )

    @field_validator("json_schema", mode="before")
    @classmethod
    def _within_bounds(cls, schema: Any) -> Any:
        schemas.check_size(schema)
        return schema

    @model_validator(mode="after")
    def _usable_schema(self) -> Self:
        if self.json_schema is not None:
            schemas.check_schema(self.json_schema)
        return self

    def grade(self, subject: Subject) -> Score:
        try:
            document = read_json(self._text(subject.response))
        except ValueError as error:
            return self.scored(0.0, reason=f"Not valid JSON: {error}.")
        if self.json_schema is None:
            return self.scored(1.0)
        return self._against_schema(document)

    def _text(self, response: str) -> str:
        text = response.strip()
        fenced = _FENCE.fullmatch(text) if self.allow_fence else None
        return fenced[1] if fenced else text

    def _against_schema(self, document: Any) -> Score:
        try:
            errors = schemas.first_errors(self._validator, document, _LISTED)
        except schemas.CannotCheck as error:
            return self.broke(str(error))
        if not errors:
            return self.scored(1.0)
        raw = {"errors": [_described(error) for error in errors]}
        first = raw["errors"][0]
        return self.scored(0.0, reason=f"{first['path']}: {first['message']}", raw=raw)

    @functools.cached_property
    def _validator(self) -> schemas.Validator:
        return schemas.validator(self.json_schema or {})


class IsJson(Rule):
    """The whole answer is JSON, read as strictly as JavaScript does: 1, otherwise 0.

    null is JSON, text in a code fence is not. Beyond 1,000,000 characters or 100 levels it is not
    valid here. The rule valid JSON can allow a fence and ask for a schema.
    """

    title = "Is JSON"
    examples = (
        Example(says="null is JSON.", subject=Subject(response="null"), value=1.0),
        Example(
            says="A code fence is not.",
            subject=Subject(response='```json\n{"a": 1}\n```'),
            value=0.0,
        ),
    )

    type: Literal["is_json"] = "is_json"

    def grade(self, subject: Subject) -> Score:
        valid = is_json(subject.response)
        text = f"Output is {'' if valid else 'not '}valid JSON"
        return self.scored(float(valid), checks=[Check(text=text, passed=valid)])


def is_json(text: str) -> bool:
    """Whether JavaScript's JSON.parse takes the text, within the bounds on length and depth."""
    if len(text) > MAX_CHARACTERS or _deepest(text) > MAX_DEPTH:
        return False
    try:
        # numbers stay as they are written: JavaScript reads those of any length
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_refused)
    except ValueError:
        return False
    return True


def _deepest(text: str) -> int:
    """How deep brackets are nested outside of strings, if the text is JSON at all."""
    depth = deepest = 0
    for match in _BRACKETS.finditer(text):
        if match[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] in "]}":
            depth -= 1
    return deepest


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def read_json(text: str) -> Any:
    """The document; ValueError with a clause where it is no JSON or beyond the bounds."""
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"it has more than {MAX_CHARACTERS:,} characters")
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise ValueError(str(error)) from error
    if schemas.deeper_than(document, MAX_DEPTH):
        raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels")
    return document


def _described(error: ValidationError) -> dict[str, str]:
    return {"path": kept(error.json_path, 200), "message": kept(error.message, 300)}


RULES: tuple[type[Rule], ...] = (IsJson, ValidJson)
