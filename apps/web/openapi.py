"""What the OpenAPI schema says of every endpoint: the error envelope, and pages of a list."""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from django.db import models
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from .errors import CODES, Problem
from .paging import keyset

CURSOR = OpenApiParameter(
    "cursor", str, description="`next` or `previous` of an answer; the first page without it."
)
SIZE = 50

_MEANINGS = {
    400: "The request is not right; `error.message` says what.",
    401: "No valid token or session.",
    403: "Your role may not do this.",
    404: "There is no such thing in this workspace.",
    409: "It is in the way of something that stands already.",
    413: "The body is too large.",
    415: "The body has another content type than this takes.",
    429: "Too many requests in this minute; wait `Retry-After` seconds.",
}


class ErrorDetailSerializer(serializers.Serializer[Any]):
    code = serializers.ChoiceField(choices=sorted(set(CODES.values())))
    message = serializers.CharField()
    details = serializers.DictField()


class ErrorSerializer(serializers.Serializer[Any]):
    """The envelope of every failure."""

    error = ErrorDetailSerializer()
    request_id = serializers.CharField()


def errors(*statuses: int) -> dict[int, OpenApiResponse]:
    """The failures an endpoint may answer; those of every endpoint come by themselves."""
    every = {400, 401, 403, 404, 429, *statuses}
    return {status: OpenApiResponse(ErrorSerializer, _MEANINGS[status]) for status in sorted(every)}


@cache
def page_of(item: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    """The schema of one page of a list."""
    name = f"{item.__name__.removesuffix('Serializer')}Page"
    return inline_serializer(
        name,
        {
            "results": item(many=True),
            "next": serializers.CharField(allow_null=True),
            "previous": serializers.CharField(allow_null=True),
        },
    )


def page_response(
    request: Request,
    rows: models.QuerySet[Any],
    order: Sequence[str],
    serializer: type[serializers.Serializer[Any]],
    **context: Any,
) -> Response:
    """One page of the rows, found by `?cursor=`."""
    page = keyset(rows, order, request.query_params.get("cursor"), SIZE)
    results = serializer(page.items, many=True, context=context).data
    return Response({"results": results, "next": page.older, "previous": page.newer})


def chosen(request: Request, name: str, allowed: Collection[str]) -> str:
    """The value of a parameter that takes one of these; '' where it was not given."""
    given: str = request.query_params.get(name, "")
    if given and given not in allowed:
        raise Problem(f"{name} must be one of: {', '.join(allowed)}.")
    return given


def is_asked(request: Request, name: str) -> bool:
    """Whether a parameter that is true or false is true; false where it was not given."""
    return chosen(request, name, ("true", "false", "1", "0")) in ("true", "1")
