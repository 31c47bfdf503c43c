"""Taking the body of a request in blocks, as a web server hands it over."""

from io import BytesIO
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIRequest
from rest_framework.request import Request

from apps.datasets.api.documents import BLOCK, document
from apps.datasets.uploading.reading import MAX_BYTES
from apps.web.errors import Problem


def request_with(body: bytes, **environ: Any) -> Request:
    standard = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/api/v1/datasets",
        "CONTENT_TYPE": "application/json",
        "wsgi.input": BytesIO(body),
        "wsgi.input_terminated": True,
    }
    return Request(WSGIRequest({**standard, **environ}))


def test_a_body_comes_in_blocks() -> None:
    body = b"x" * (2 * BLOCK + 1)

    blocks = list(document(request_with(body, CONTENT_LENGTH=str(len(body)))))

    assert b"".join(blocks) == body
    assert max(map(len, blocks)) == BLOCK


def test_a_chunked_body_is_read_to_the_end_that_the_server_marks() -> None:
    request = request_with(b"chunked", HTTP_TRANSFER_ENCODING="chunked")

    assert b"".join(document(request)) == b"chunked"


def test_without_a_length_or_a_marked_end_nothing_is_read() -> None:
    request = request_with(
        b"endless", HTTP_TRANSFER_ENCODING="chunked", **{"wsgi.input_terminated": False}
    )

    assert b"".join(document(request)) == b""


def test_a_body_that_breaks_off_is_refused() -> None:
    with pytest.raises(Problem, match="broke off after 4 bytes"):
        list(document(request_with(b"half", CONTENT_LENGTH="8")))


def test_a_connection_that_breaks_is_a_body_that_breaks_off() -> None:
    class Broken(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise ConnectionResetError

    request = request_with(b"", CONTENT_LENGTH="8", **{"wsgi.input": Broken()})

    with pytest.raises(Problem, match="broke off"):
        list(document(request))


def test_too_large_is_refused_without_reading() -> None:
    body = BytesIO(b"never read")
    request = request_with(b"", CONTENT_LENGTH=str(MAX_BYTES + 1), **{"wsgi.input": body})

    with pytest.raises(Problem) as refused:
        document(request)

    assert refused.value.status_code == 413
    assert body.tell() == 0
