"""The JSON Schema (draft 2020-12) of a case, of all eras."""

from typing import Any

TEXT = {"type": "string", "minLength": 1}
MESSAGE = {
    "type": "object",
    "properties": {
        "role": {"enum": ["system", "user", "assistant", "tool"]},
        "content": {
            "type": ["string", "object", "array", "null"],
            "items": {"$ref": "#/$defs/part"},
        },
        "tool_calls": {"type": "array"},
    },
    "required": ["role"],
    "anyOf": [{"required": ["content"]}, {"required": ["tool_calls"]}],
}
PART = {
    "type": ["object", "string"],
    "properties": {"type": {"enum": ["text", "file", "image"]}, "value": {"type": "string"}},
    "required": ["type", "value"],
}
GRADERS = {
    "type": ["array", "string"],
    "items": {"type": ["object", "string"], "properties": {"type": {"type": "string"}}},
}
MESSAGES = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/message"}}
ANY_INPUT = {"type": ["string", "object", "array"], "items": {"$ref": "#/$defs/message"}}


def json_schema() -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A case of agentv, one a line",
        "type": "object",
        "properties": _properties(),
        "required": ["id"],
        "anyOf": [
            {"required": ["id", "expected_outcome", "input_messages"]},
            {"required": ["id", "criteria"], "anyOf": _required("input", "input_messages")},
            {
                "required": ["id", "input"],
                "anyOf": _required("expected_outcome", "expected_output", "assertions", "assert"),
            },
            {"required": ["id", "vars"]},
            {"required": ["id", "prompt"]},
        ],
        "$defs": {"message": MESSAGE, "part": PART},
    }


def _properties() -> dict[str, Any]:
    return {
        "id": {"type": ["string", "integer"], "description": "A number in Agent Skills only."},
        "conversation_id": {"type": "string"},
        "criteria": TEXT,
        "expected_outcome": {**TEXT, "description": "criteria, up to 2.5"},
        "input": ANY_INPUT,
        "input_messages": {**MESSAGES, "description": "input, up to 2.5"},
        "input_files": {"type": "array", "items": {"type": "string"}},
        "expected_output": {"type": ["string", "object", "array"]},
        "expected_messages": {**MESSAGES, "description": "expected_output, up to 2.5"},
        "execution": {"type": "object", "properties": {"target": {"type": ["string", "object"]}}},
        "evaluator": {},
        "assertions": GRADERS,
        "assert": GRADERS,
        "evaluators": GRADERS,
        "rubrics": {"type": "array"},
        "vars": {"type": "object", "description": "What the suite's prompts ask for, from 5.0"},
        "prompt": {"type": "string", "description": "input, in Agent Skills"},
        "metadata": {"type": "object"},
    }


def _required(*names: str) -> list[dict[str, Any]]:
    return [{"required": [name]} for name in names]
