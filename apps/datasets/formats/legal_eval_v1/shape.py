"""The fields of a row, and the JSON Schema that tells other tools of them."""

from typing import Any

SCHEMA_VERSION = "legal_eval_v1"
TASK_TYPES = ("rubric_qa", "reference_qa", "mcq")
ROLES = ("assistant", "system", "user")
REQUIRED = ("schema_version", "id", "dataset", "task_type", "prompt")
OPTIONAL = ("context", "messages", "attachments", "metadata")
GRADED_BY = ("rubric", "reference_answers", "choices", "correct_choice_ids")
FIELDS = (*REQUIRED, *OPTIONAL, *GRADED_BY)
FORBIDDEN = {
    "rubric_qa": ("choices", "correct_choice_ids"),
    "reference_qa": ("rubric", "choices", "correct_choice_ids"),
    "mcq": ("rubric", "reference_answers"),
}
"""In the order in which the validator tells of them."""

TEXT = {"type": "string", "pattern": r"\S"}
STRING = {"type": "string"}


def json_schema() -> dict[str, Any]:
    """Of one line; what binds two fields (unique and known choice ids) is left to the reader."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One row of legal_eval_v1",
        "type": "object",
        "required": list(REQUIRED),
        "properties": {
            "schema_version": {"const": SCHEMA_VERSION},
            "id": TEXT,
            "dataset": TEXT,
            "task_type": {"enum": list(TASK_TYPES)},
            "prompt": TEXT,
            "context": STRING,
            "messages": _messages(),
            "attachments": _attachments(),
            "metadata": {"type": "object", "properties": {"policy_id": STRING}},
            "rubric": _rubric(),
            "reference_answers": {"type": "array", "items": TEXT},
            "choices": _choices(),
            "correct_choice_ids": {"type": "array", "minItems": 1, "items": TEXT},
        },
        "allOf": [
            _for("rubric_qa", {"required": ["rubric"]}),
            _for(
                "reference_qa",
                {
                    "required": ["reference_answers"],
                    "properties": {"reference_answers": {"minItems": 1}},
                },
            ),
            _for("mcq", {"required": ["choices", "correct_choice_ids"]}),
        ],
    }


def _for(task_type: str, then: dict[str, Any]) -> dict[str, Any]:
    forbidden = dict.fromkeys(FORBIDDEN[task_type], False)
    return {
        "if": {"required": ["task_type"], "properties": {"task_type": {"const": task_type}}},
        "then": {**then, "properties": {**then.get("properties", {}), **forbidden}},
    }


def _messages() -> dict[str, Any]:
    turn = _object({"role": {"enum": list(ROLES)}, "content": TEXT}, "role", "content")
    return {"type": ["array", "null"], "items": turn}


def _attachments() -> dict[str, Any]:
    attachment = _object({"path": TEXT, "kind": STRING, "title": STRING}, "path")
    return {"type": ["array", "null"], "items": attachment}


def _rubric() -> dict[str, Any]:
    fields = {
        "id": TEXT,
        "title": TEXT,
        "description": STRING,
        "weight": {"type": ["number", "boolean"]},
    }
    return {"type": "array", "minItems": 1, "items": _object(fields, "id", "title")}


def _choices() -> dict[str, Any]:
    choice = _object({"id": TEXT, "text": TEXT}, "id", "text")
    return {"type": "array", "minItems": 2, "items": choice}


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": properties}
