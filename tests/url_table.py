"""Every address of the product with what guards it, read from the URL configuration."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from django.urls import URLPattern, URLResolver, get_resolver

from apps.accounts.permissions import Permission

Guard = Literal["page", "api", "personal", "public", "none"]
OTHERS = {"admin"}  # guards itself by is_staff


@dataclass(frozen=True)
class Address:
    name: str
    route: str
    guard: Guard
    permissions: dict[str, Permission]
    served: frozenset[str]
    arguments: frozenset[str]

    def __str__(self) -> str:
        return self.name or self.route


def addresses() -> list[Address]:
    return list(_walk(get_resolver().url_patterns, namespace="", route="", arguments=frozenset()))


def _walk(
    patterns: list[Any], namespace: str, route: str, arguments: frozenset[str]
) -> Iterator[Address]:
    for pattern in patterns:
        here = route + str(pattern.pattern)
        named = arguments | set(pattern.pattern.converters) | set(pattern.pattern.regex.groupindex)
        if isinstance(pattern, URLResolver) and pattern.namespace not in OTHERS:
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _walk(pattern.url_patterns, inner, here, named)
        elif isinstance(pattern, URLPattern):
            yield _address(pattern, namespace, here, named)


def _address(pattern: URLPattern, namespace: str, route: str, arguments: frozenset[str]) -> Address:
    view: Any = pattern.callback
    api_class = getattr(view, "cls", None)
    permissions = getattr(api_class or view, "permissions", {})
    return Address(
        name=f"{namespace}{pattern.name}" if pattern.name else "",
        route=route,
        guard=_guard(view, permissions, api_class),
        permissions=permissions,
        served=_served(api_class) if api_class else frozenset(permissions),
        arguments=arguments - {"slug"} if route.startswith("w/<slug:slug>/") else arguments,
    )


def _guard(view: Any, permissions: dict[str, Permission], api_class: Any) -> Guard:
    if getattr(view, "public", False):
        return "public"
    if getattr(view, "signed_in", False):
        return "personal"
    if permissions:
        return "api" if api_class else "page"
    return "none"


def _served(api_class: Any) -> frozenset[str]:
    """The methods that the API view answers; HEAD is GET without its body."""
    names = set(api_class.http_method_names) - {"head", "options"}
    return frozenset(name.upper() for name in names if hasattr(api_class, name))
