"""Tags and filters that the components and the frame of every page are made of."""

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any, Protocol

from django import template
from django.forms import BoundField
from django.http import HttpRequest, QueryDict
from django.template import Context
from django.urls import NoReverseMatch, reverse
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from apps.web.icons import icon_svg
from apps.web.states import Look, look_of

register = template.Library()

_THEMES = ("light", "dark")
_MESSAGE_TONES = {"success": "ok", "warning": "warn", "error": "bad", "debug": "neutral"}
_TONE_ICONS = {"ok": "circle-check", "warn": "triangle-alert", "bad": "circle-x"}


class Allowing(Protocol):
    def allows(self, permission: Any) -> bool: ...


# -- the frame ------------------------------------------------------------------------------


@register.simple_tag(takes_context=True)
def theme(context: Context) -> str:
    """What the person chose; anything else follows the system."""
    request = context.get("request")
    chosen = request.COOKIES.get("theme", "") if isinstance(request, HttpRequest) else ""
    return chosen if chosen in _THEMES else "auto"


@register.simple_tag
def product_version() -> str:
    return version("evalhub")


@register.simple_tag
def url_or_nothing(name: str, default: str = "", **kwargs: Any) -> str:
    """The address of a page, or the default where this installation has no such page."""
    try:
        return reverse(name, kwargs=kwargs)
    except NoReverseMatch:
        return default


@register.simple_tag(takes_context=True)
def nav_link(context: Context, name: str, label: str, permission: str) -> SafeString:
    """A link to a section, current inside its app; nothing for those who may not see it."""
    address = url_or_nothing(name, slug=context["workspace"].slug)
    if not address or not allows(context.get("membership"), permission):
        return SafeString()
    current = _current_section(context.get("request")) == name.split(":")[0]
    return format_html('<a href="{}"{}>{}</a>', address, _current(current), label)


@register.simple_tag
def menu_link(name: str, label: str, icon: str, **kwargs: Any) -> SafeString:
    address = url_or_nothing(name, **kwargs)
    if not address:
        return SafeString()
    return format_html('<a href="{}">{}{}</a>', address, draw_icon(icon, 15), label)


@register.filter
def allows(membership: Allowing | None, permission: str) -> bool:
    return membership is not None and membership.allows(permission)


@register.filter
def message_tone(level: str) -> str:
    return _MESSAGE_TONES.get(level, "info")


@register.filter
def message_icon(level: str) -> str:
    return tone_icon(message_tone(level))


# -- components -----------------------------------------------------------------------------


@register.simple_tag
def draw_icon(name: str, size: int | str = 16, label: str = "") -> SafeString:
    """A lucide icon, silent for screen readers unless it says something by itself."""
    return icon_svg(str(name), int(size), str(label))


@register.filter
def tone_icon(tone: str) -> str:
    return _TONE_ICONS.get(tone, "info")


@register.filter
def explained(field: Any, help_text: str) -> Any:
    """A bound field whose help is this, so that Django names it in `aria-describedby`."""
    if isinstance(field, BoundField) and help_text:
        field.help_text = help_text
    return field


@register.filter
def look(state: str) -> Look:
    return look_of(str(state))


@register.filter
def words(text: str) -> list[str]:
    return text.split()


@register.simple_tag
def rest(attrs: Any) -> SafeString:
    """The attributes a component does not know, for its element; every value escaped."""
    pairs: Mapping[str, Any] = attrs.attrs_dict() if hasattr(attrs, "attrs_dict") else attrs
    shown = [(key, value) for key, value in pairs.items() if value not in (False, None)]
    bare = format_html_join("", " {}", ((key,) for key, value in shown if value is True))
    valued = format_html_join(
        "",
        ' {}="{}"',
        ((key, conditional_escape(value)) for key, value in shown if value is not True),
    )
    return bare + valued


# -- the query of the present address -------------------------------------------------------


@register.simple_tag(takes_context=True)
def with_query(context: Context, **changes: Any) -> str:
    """The present address with other parameters; None takes one away, paging starts anew."""
    query = _query(context)
    for name, value in changes.items():
        _replace(query, name, value)
    return _address(context, query)


@register.simple_tag(takes_context=True)
def toggled(context: Context, name: str, value: str, single: bool = False) -> str:
    """The present address with one value of a parameter switched on or off."""
    query = _query(context)
    present = query.getlist(name)
    if value in present:
        query.setlist(name, [other for other in present if other != value])
    else:
        query.setlist(name, [value] if single else [*present, value])
    return _address(context, query)


@register.simple_tag(takes_context=True)
def is_chosen(context: Context, name: str, value: str) -> bool:
    request = context.get("request")
    return isinstance(request, HttpRequest) and value in request.GET.getlist(name)


@register.simple_tag(takes_context=True)
def sorting(context: Context, name: str) -> dict[str, str]:
    """Where a sortable column leads, and how it is sorted now (an `aria-sort` word or "")."""
    request = context.get("request")
    present = request.GET.get("sort", "") if isinstance(request, HttpRequest) else ""
    order = {name: "ascending", f"-{name}": "descending"}.get(present, "")
    following = f"-{name}" if order == "ascending" else name
    return {"address": with_query(context, sort=following), "order": order}


def _query(context: Context) -> QueryDict:
    request = context.get("request")
    query = request.GET.copy() if isinstance(request, HttpRequest) else QueryDict(mutable=True)
    query.pop("cursor", None)
    return query


def _replace(query: QueryDict, name: str, value: Any) -> None:
    if value is None:
        query.pop(name, None)
    elif isinstance(value, Iterable) and not isinstance(value, str):
        query.setlist(name, [str(item) for item in value])
    else:
        query[name] = str(value)


def _address(context: Context, query: QueryDict) -> str:
    request = context.get("request")
    path = request.path if isinstance(request, HttpRequest) else ""
    encoded = query.urlencode()
    return f"{path}?{encoded}" if encoded else path


def _current_section(request: Any) -> str:
    """The app of the page; a page that shows several chapters may say whose it is."""
    match = getattr(request, "resolver_match", None)
    return getattr(request, "section", "") or (match.app_name if match else "")


def _current(current: bool) -> SafeString:
    return mark_safe(' aria-current="page"') if current else SafeString()
