"""What people and programs are told when a request fails: pages in HTML, /api/ in one envelope."""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import (
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    ValidationError,
)
from django.core.signals import got_request_exception
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views import defaults
from rest_framework import exceptions, status
from rest_framework.response import Response

logger = logging.getLogger(__name__)

CODES = {
    400: "invalid_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    409: "conflict",
    413: "payload_too_large",
    429: "rate_limited",
    500: "internal_error",
    503: "service_unavailable",
}
SOMETHING_BROKE = (
    "Something went wrong on our side. Try again; if it stays, name the request_id to your admin."
)


class Problem(exceptions.APIException):
    """An answer other than success, with details for programs: raise it from API views."""

    def __init__(
        self,
        message: str,
        *,
        status_code: int = status.HTTP_400_BAD_REQUEST,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.details = dict(details or {})
        self.headers = dict(headers or {})


def envelope(exc: Exception, context: dict[str, Any]) -> Response:
    """DRF's exception handler: every failure of the API has the same shape."""
    request = context["request"]
    problem = _as_problem(exc)
    if problem is None:
        logger.error("Unexpected error at %s %s", request.method, request.path, exc_info=exc)
        got_request_exception.send(sender=None, request=request._request)
        problem = Problem(SOMETHING_BROKE, status_code=500)
    body = _body(request, problem.status_code, str(problem.detail), getattr(problem, "details", {}))
    return Response(body, status=problem.status_code, headers=_headers(problem))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_api(request):
        return _json(request, 400, "The request could not be read.")
    return defaults.bad_request(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_api(request):
        return _json(request, 403, str(exception) or "You may not do this.")
    return defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_api(request):
        return _json(request, 404, f"There is nothing at {request.path}.")
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    if _is_api(request):
        return _json(request, 500, SOMETHING_BROKE)
    return defaults.server_error(request)


def _as_problem(exc: Exception) -> exceptions.APIException | None:
    """The answer that an exception stands for; None for a surprise."""
    if isinstance(exc, exceptions.ValidationError):
        return Problem(_first_sentence(exc.detail), details={"fields": exc.detail})
    if isinstance(exc, exceptions.APIException):
        return exc
    if isinstance(exc, ValidationError):
        return Problem(exc.messages[0], details=_django_details(exc))
    if isinstance(exc, Http404):
        return Problem(_said_by_us(exc) or "Not found.", status_code=404)
    if isinstance(exc, PermissionDenied):
        return Problem(str(exc) or "You may not do this.", status_code=403)
    if isinstance(exc, RequestDataTooBig):
        return Problem("The request is too large.", status_code=413)
    if isinstance(exc, SuspiciousOperation):
        return Problem("The request could not be read.")
    return None


def _first_sentence(detail: Any) -> str:
    """`name: This field is required.` for the first of the fields that failed."""
    if isinstance(detail, Mapping):
        field, inner = next(iter(detail.items()))
        sentence = _first_sentence(inner)
        return sentence if field == "non_field_errors" else f"{field}: {sentence}"
    if isinstance(detail, list):
        return _first_sentence(next((item for item in detail if item), "Not valid."))
    return str(detail)


def _django_details(exc: ValidationError) -> dict[str, Any]:
    if hasattr(exc, "error_dict"):
        return {"fields": exc.message_dict}
    return {"messages": exc.messages} if len(exc.messages) > 1 else {}


def _said_by_us(exc: Http404) -> str:
    """Django's own message names a model class, which tells a caller nothing."""
    message = str(exc.args[0]) if exc.args else ""
    return "" if "matches the given query" in message else message


def _headers(problem: exceptions.APIException) -> dict[str, str]:
    headers: dict[str, str] = dict(getattr(problem, "headers", {}))
    challenge = getattr(problem, "auth_header", None)
    if challenge:
        headers["WWW-Authenticate"] = challenge
    wait = getattr(problem, "wait", None)
    if wait is not None:
        headers["Retry-After"] = str(int(wait))
    return headers


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def _json(request: HttpRequest, status_code: int, message: str) -> HttpResponse:
    return JsonResponse(_body(request, status_code, message, {}), status=status_code)


def _body(
    request: Any, status_code: int, message: str, details: Mapping[str, Any]
) -> dict[str, Any]:
    code = CODES.get(status_code, CODES[HTTPStatus.BAD_REQUEST])
    return {
        "error": {"code": code, "message": message, "details": details},
        "request_id": getattr(request, "request_id", ""),
    }
