"""Who calls the API: a token in a header, or the session of a page."""

from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from .keys import digest_of
from .models import ApiToken, User

NOTED_EVERY = timedelta(minutes=1)


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer TOKEN` or `x-api-key: TOKEN`."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        plaintext = _given(request)
        if not plaintext:
            return None
        now = timezone.now()
        usable = ApiToken.objects.usable(now).select_related("user", "workspace")
        token = usable.filter(digest=digest_of(plaintext)).first()
        if token is None:
            raise AuthenticationFailed("The API token is unknown, expired or revoked.")
        _note_use(token, now)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="evalhub"'


def _given(request: Request) -> str:
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return credentials.strip()
    return request.headers.get("x-api-key", "").strip()


def _note_use(token: ApiToken, now: datetime) -> None:
    """At most once a minute: a busy script must not write for each of its reads."""
    long_ago = now - NOTED_EVERY
    if token.last_used_at and token.last_used_at > long_ago:
        return
    unnoted = Q(last_used_at=None) | Q(last_used_at__lte=long_ago)
    ApiToken.objects.filter(unnoted, pk=token.pk).update(last_used_at=now)
