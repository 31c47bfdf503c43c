"""Rules on the structure of the answer: valid JSON, and JSON that follows a schema."""

import functools
import re
from typing import Any, Literal, Self

import orjson
from jsonschema.exceptions import ValidationError
from pydantic import Field, field_validator, model_validator

from apps.grading.contracts import Score, Subject

from . import json_schema as schemas
from .base import Rule
from .words import kept

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 100
_LISTED = 5
_FENCE = re.compile(r"```(?:json|JSON)?[ \t]*\r?\n(.*)\r?\n?```", re.DOTALL)


class ValidJson(Rule):
    """The answer is JSON, and follows a JSON Schema where one is given: 1, otherwise 0.

    NaN, Infinity, numbers beyond double precision's range, more than 1,000,000 characters and
    more than 100 levels are not valid here. The schema is Draft 2020-12 without remote
    references; its patterns are RE2.
    """

    title = "Valid JSON"

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


RULES: tuple[type[Rule], ...] = (ValidJson,)
