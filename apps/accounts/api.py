"""The base of every API view."""

from typing import Any, ClassVar

from rest_framework.exceptions import Throttled
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from apps.web.errors import Problem

from .models import ApiToken, Membership, User, Workspace
from .permissions import Permission
from .throttling import RateLimit


class WorkspaceApiRequest(Request):
    """The request of a member, as the views of `WorkspaceAPIView` get it."""

    user: User
    auth: ApiToken | None
    workspace: Workspace
    membership: Membership
    request_id: str
    rate_limit: RateLimit


class TooManyRequests(Throttled):
    def __init__(self, rate: RateLimit, wait: float) -> None:
        super().__init__(wait)
        self.details = rate.model_dump(mode="json")


class WorkspaceAPIView(GenericAPIView[Any]):
    """Names a permission per method and gets `request.workspace`.

    A token brings its workspace; a session names one by `?workspace=slug` unless it has only one.
    """

    permissions: ClassVar[dict[str, Permission]] = {}
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]
    request: WorkspaceApiRequest

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        _refuse_null_characters(request, kwargs)
        super().initial(request, *args, **kwargs)

    def throttled(self, request: Request, wait: float) -> None:  # type: ignore[override]
        rate: RateLimit = request.rate_limit  # type: ignore[attr-defined]
        raise TooManyRequests(rate, wait)

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        answer = super().finalize_response(request, response, *args, **kwargs)
        rate: RateLimit | None = getattr(request, "rate_limit", None)
        for name, value in rate.headers.items() if rate else ():
            answer[name] = value
        return answer


def _refuse_null_characters(request: Request, arguments: dict[str, Any]) -> None:
    """PostgreSQL takes none, and nothing of ours has one in its name."""
    asked = [text for name, texts in request.query_params.lists() for text in (name, *texts)]
    if any("\0" in str(text) for text in (*asked, *arguments.values())):
        raise Problem("The address holds a null character (%00).")
