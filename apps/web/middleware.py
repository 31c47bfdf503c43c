"""What every request gets, whichever door it comes to."""

import re
import time
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

Handler = Callable[[HttpRequest], HttpResponse]
ADMIN = "/admin/"
ADMIN_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_ACCEPTABLE = re.compile(r"[A-Za-z0-9._-]{1,64}")


def request_id(get_response: Handler) -> Handler:
    """Give the request an id (the caller's own if it is sane) and the answer its headers."""

    def middleware(request: HttpRequest) -> HttpResponse:
        started = time.monotonic()
        given = request.headers.get("x-request-id", "")
        chosen = given if _ACCEPTABLE.fullmatch(given) else str(uuid.uuid4())
        request.request_id = chosen  # type: ignore[attr-defined]
        response = get_response(request)
        response["x-request-id"] = chosen
        response["x-latency-ms"] = str(round((time.monotonic() - started) * 1000))
        return response

    return middleware


def admin_policy(get_response: Handler) -> Handler:
    """Let Alpine and the inline scripts of django-unfold run, in the admin and nowhere else."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.path.startswith(ADMIN):
            response["Content-Security-Policy"] = ADMIN_POLICY
        return response

    return middleware
