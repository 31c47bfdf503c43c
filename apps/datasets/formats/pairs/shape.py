"""The JSON Schema of a pair as a line of JSON says it."""

from typing import Any

_TEXT = {"type": "string"}
_SAYS = {"type": "string", "minLength": 1, "pattern": r"\S"}

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Query-response pair",
    "type": "object",
    "required": ["id", "query", "response"],
    "properties": {
        "id": {"type": "string", "minLength": 1, "maxLength": 128, "description": "Unique."},
        "query": {**_SAYS, "description": "What was asked."},
        "response": {**_SAYS, "description": "What the system answered."},
        "context": {
            "type": "array",
            "items": _TEXT,
            "description": "The passages that it answered from; in CSV as JSON text.",
        },
        "source": {**_TEXT, "description": "The system that answered."},
        "chunks": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["text"],
                "properties": {
                    "chunk_id": {"type": "string", "minLength": 1, "maxLength": 200},
                    "doc_id": _TEXT,
                    "chunk_rank": {"type": ["integer", "null"], "minimum": 1},
                    "text": _SAYS,
                },
            },
        },
        "metadata": {"type": "object"},
        "schema_version": _TEXT,
    },
}
