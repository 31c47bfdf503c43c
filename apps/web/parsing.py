"""Reading the body of an API request that is one JSON value."""

from collections.abc import Collection, Mapping
from typing import Any

import orjson
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

DEEPEST = 100


class StrictJSONParser(BaseParser):
    """JSON of bounded size and depth, without NaN and without half a character."""

    media_type = "application/json"

    def parse(
        self, stream: Any, media_type: Any = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        content = stream.read(most + 1)
        if len(content) > most:
            raise RequestDataTooBig
        try:
            value = orjson.loads(content)
        except orjson.JSONDecodeError as error:
            raise ParseError(f"The body is not valid JSON: {error}.") from None
        if _is_deeper_than(DEEPEST, value):
            raise ParseError(f"The body is nested too deep: {DEEPEST} levels at most.")
        return value


def _is_deeper_than(levels: int, value: Any) -> bool:
    """Level by level: whoever reads the value by recursion must not run out of stack."""
    level = [value]
    for _ in range(levels):
        level = [child for node in level for child in _children(node)]
    return any(isinstance(node, dict | list) for node in level)


def _children(node: Any) -> Collection[Any]:
    if isinstance(node, dict):
        return node.values()
    return node if isinstance(node, list) else ()
