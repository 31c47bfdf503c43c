"""The contract's JSON Schema as OpenAPI takes it: in place, without references of its own."""

from typing import Any

from apps.datasets import formats
from apps.datasets.uploading.reading import DEFAULT_FORMAT


def document_schema() -> dict[str, Any]:
    schema = formats.FORMATS[DEFAULT_FORMAT].json_schema()
    definitions = schema.pop("$defs", {})
    schema.pop("$schema", None)
    inlined: dict[str, Any] = _inlined(schema, definitions)
    return inlined


def _inlined(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inlined(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _inlined(definitions[node["$ref"].rpartition("/")[2]], definitions)
    return {key: _inlined(value, definitions) for key, value in node.items()}
