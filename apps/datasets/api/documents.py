"""A document as the raw body of a request, taken in blocks: it is never whole in memory."""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NoReturn, cast

from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from apps.datasets.reading import MAX_BYTES, TOO_LARGE
from apps.web.errors import Problem

BLOCK = 1 << 20
JSON = "application/json"


class DocumentParser(BaseParser):
    """Leaves the body alone: whoever checks a session's CSRF token makes DRF parse it."""

    media_type = JSON

    def parse(
        self, stream: Any, media_type: Any = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        return stream


def document(request: Request) -> Iterator[bytes]:
    """The body of a request that may be one, in blocks; refused before anything of it is read."""
    length = _length(request)
    has_body = length or _is_chunked(request)
    if has_body and request.content_type.partition(";")[0].strip().lower() != JSON:
        raise Problem(f"Send the document as {JSON}.", status_code=415)
    if length > MAX_BYTES:
        refuse_size()
    return _blocks(_source(request), length)


def refuse_size() -> NoReturn:
    raise Problem(TOO_LARGE, status_code=413)


def _length(request: Request) -> int:
    given = str(request.META.get("CONTENT_LENGTH") or "")
    return int(given) if given.isdecimal() else 0


def _is_chunked(request: Request) -> bool:
    """A body of unknown length, whose end the server marks: Django by itself reads none of it."""
    marked = bool(request.META.get("wsgi.input_terminated"))
    return marked and "HTTP_TRANSFER_ENCODING" in request.META


def _source(request: Request) -> BinaryIO:
    source = request.META["wsgi.input"] if _is_chunked(request) else request._request
    return cast(BinaryIO, source)


def _blocks(source: BinaryIO, length: int) -> Iterator[bytes]:
    received = 0
    try:
        while block := source.read(BLOCK):
            received += len(block)
            yield block
    except OSError:
        _refuse_half(received)
    if received < length:
        _refuse_half(received)


def _refuse_half(received: int) -> NoReturn:
    raise Problem(f"The body broke off after {received:,} bytes: send it again.")
