"""Where people reach this server, for links in what leaves it."""

from django.conf import settings
from django.http import HttpRequest


def own_address(request: HttpRequest) -> str:
    """What an admin has set, else the address that this request came by; no slash behind it."""
    return settings.BASE_URL or request.build_absolute_uri("/").removesuffix("/")
