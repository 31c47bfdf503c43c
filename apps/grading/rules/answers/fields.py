"""Rules on single fields of an answer in JSON."""

import re
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from apps.grading.contracts import Check, Score, Subject
from apps.grading.rules.answers import json_schema
from apps.grading.rules.answers.field_values import Compared, FieldSpec, compared
from apps.grading.rules.answers.structure import MAX_DEPTH, read_json
from apps.grading.rules.base import Example, Rule, threshold

MAX_FIELDS = 200
MOST_COMPARED = 20_000_000
"""Characters of the answer, once for each field and reference."""
_FENCE = re.compile(r"```(?:json)?")


class FieldAccuracy(Rule):
    """The share of the fields of an answer in JSON that are as in the expected object.

    The answer is read as JSON, also in a code fence or with words around one object; an answer
    that is none is 0. Expected is the last expected message of the assistant that is JSON, else
    the reference answers that are, else `expected_output` of the record; of several references
    the best counts. For each field: where nothing is expected it counts as right; where the
    answer lacks it, it is wrong if it is required and left out if it is optional. Numbers are
    read from texts too and compared in decimal; of dates only the day counts.

    weighted_average: the weights of the right fields by those of all. all_or_nothing: 1 if every
    field is right, otherwise 0.
    """

    title = "Field accuracy"
    examples = (
        Example(
            says="The date is the same day, the price is off by more than allowed.",
            settings={
                "fields": [
                    {"path": "to.name"},
                    {"path": "paid", "match": "date", "formats": ["DD-MMM-YYYY"]},
                    {"path": "lines[0].price", "match": "numeric_tolerance", "tolerance": 0.5},
                ]
            },
            subject=Subject(
                response='{"to": {"name": "Ada"}, "paid": "15-JAN-2026", "lines": [{"price": 9}]}',
                reference_answers=(
                    '{"to": {"name": "Ada"}, "paid": "2026-01-15", "lines": [{"price": 9.99}]}',
                ),
            ),
            value=0.667,
        ),
        Example(
            says="An optional field that is not there is left out.",
            settings={"fields": [{"path": "a"}, {"path": "b", "required": False}]},
            subject=Subject(response='{"a": 1}', reference_answers=('{"a": 1, "b": 2}',)),
            value=1.0,
        ),
    )

    type: Literal["field_accuracy"] = "field_accuracy"
    threshold: float = threshold(0.8)
    fields: tuple[FieldSpec, ...] = Field(
        min_length=1,
        max_length=MAX_FIELDS,
        title="Fields",
        description="Each with its path and how it is compared.",
    )
    aggregation: Literal["weighted_average", "all_or_nothing"] = Field(
        default="weighted_average",
        title="Aggregation",
        description="The weighted share of the fields that are right, or all of them.",
    )

    def grade(self, subject: Subject) -> Score:
        wanted = expected_documents(subject)
        if not wanted:
            return self.cannot_say("The record has no expected output that is a JSON object.")
        if len(subject.response) * len(self.fields) * len(wanted) > MOST_COMPARED:
            return self.cannot_say("The answer is too long for so many fields and references.")
        try:
            answer = json_in(subject.response)
        except ValueError:
            failed = Check(text="Failed to parse candidate answer as JSON", passed=False)
            return self.scored(0.0, checks=[failed])
        found = [[compared(each, answer, document) for each in self.fields] for document in wanted]
        best = max(found, key=lambda fields: self._value(fields) or 0.0)
        value = self._value(best)
        if value is None:
            return self.cannot_say("No field with a weight is there to be compared.")
        checks = [Check(text=field.text, passed=field.passed) for field in best]
        return self.scored(value, checks=checks)

    def _value(self, found: Sequence[Compared]) -> float | None:
        if self.aggregation == "all_or_nothing":
            return float(all(field.passed for field in found))
        total = sum(field.weight for field in found)
        right = sum(field.weight for field in found if field.passed)
        return min(right / total, 1.0) if total else None


def expected_documents(subject: Subject) -> list[Any]:
    """What the answer's fields are compared with: objects, or lists of them."""
    said = (turn.content for turn in reversed(subject.expected_turns) if turn.role == "assistant")
    for text in said:
        if document := _document(text):
            return [document]
    given = [document for text in subject.reference_answers if (document := _document(text))]
    own = _document(subject.record.get("expected_output"))
    return given or ([own] if own else [])


def _document(said: Any) -> Any:
    """The object or list, or None."""
    if isinstance(said, str):
        try:
            said = json_in(said)
        except ValueError:
            return None
    if not isinstance(said, dict | list) or json_schema.deeper_than(said, MAX_DEPTH):
        return None
    return said


def json_in(text: str) -> Any:
    """The JSON that a text is, or the one object in it; ValueError where there is none."""
    plain = _FENCE.sub("", text).strip()
    try:
        return read_json(plain)
    except ValueError:
        return read_json(plain[plain.find("{") : plain.rfind("}") + 1])


RULES: tuple[type[Rule], ...] = (FieldAccuracy,)
