"""A document as the raw body of a request, taken in blocks: it is never whole in memory."""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NoReturn, cast

from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from apps.datasets.uploading.reading import MAX_BYTES, TOO_LARGE
from apps.web.errors import Problem

BLOCK = 1 << 20
JSON = "application/json"
MULTIPART = "multipart/form-data"
FRAME_BYTES = 500_000
"""What the other fields and the frame of a form may take beside its files."""

ENDINGS = {
    JSON: ".json",
    "application/x-ndjson": ".jsonl",
    "application/jsonl": ".jsonl",
    "application/x-jsonlines": ".jsonl",
    "text/csv": ".csv",
    "application/yaml": ".yaml",
    "application/x-yaml": ".yaml",
    "text/yaml": ".yaml",
    "application/gzip": ".gz",
    "application/x-gzip": ".gz",
    "application/zip": ".zip",
    "application/x-zip-compressed": ".zip",
}
"""How a file of each content type is called where nobody named it."""


class DocumentParser(BaseParser):
    """Leaves the body alone: whoever checks a session's CSRF token makes DRF parse it."""

    media_type = "*/*"

    def parse(
        self, stream: Any, media_type: Any = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        return stream


def content_type(request: Request) -> str:
    return str(request.content_type).partition(";")[0].strip().lower()


def contract_document(request: Request) -> Iterator[bytes]:
    """A document of Dataset Contract v1: it is JSON, and sent as such."""
    if _has_body(request) and content_type(request) != JSON:
        raise Problem(f"Send the document as {JSON}.", status_code=415)
    return document(request, any_type=True)


def document(request: Request, *, any_type: bool = False) -> Iterator[bytes]:
    """The body of a request that may be one, in blocks; refused before anything of it is read.

    `any_type` is for a caller who has named the format.
    """
    length = length_of(request)
    if _has_body(request) and not any_type and content_type(request) not in ENDINGS:
        known = "application/x-ndjson, text/csv, application/yaml, application/gzip"
        raise Problem(
            f"Send the document as {JSON}, {known}, application/zip or {MULTIPART}.",
            status_code=415,
        )
    if length > MAX_BYTES:
        refuse_size()
    return _blocks(_source(request), length)


def refuse_a_large_form(request: Request) -> None:
    """Before anything asks for one of its fields: that reads the whole body."""
    if content_type(request) == MULTIPART and length_of(request) > MAX_BYTES + FRAME_BYTES:
        refuse_size()


def refuse_size() -> NoReturn:
    raise Problem(TOO_LARGE, status_code=413)


def length_of(request: Request) -> int:
    given = str(request.META.get("CONTENT_LENGTH") or "")
    return int(given) if given.isdecimal() else 0


def _has_body(request: Request) -> bool:
    return bool(length_of(request)) or _is_chunked(request)


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
