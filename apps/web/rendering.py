"""One view, one template: the whole page for people, a named fragment of it for htmx."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers


def render_page(
    request: HttpRequest,
    template: str,
    fragment: str | Sequence[str] = (),
    status: int = 200,
    **context: Any,
) -> HttpResponse:
    """Render `runs/detail.html`, or its fragment `progress`, the file `runs/_progress.html`.

    A fragment is a file of its own that the page includes: one element whose id is the
    fragment's name. With one fragment every htmx request gets it; with several the one
    that `HX-Target` names. A restored history entry is always the whole page.
    """
    chosen = _chosen(request, [fragment] if isinstance(fragment, str) else fragment)
    name = _file_of(template, chosen) if chosen else template
    response = render(request, name, context, status=status)
    patch_vary_headers(response, ["HX-Request", "HX-Target"])
    return response


def _chosen(request: HttpRequest, fragments: Sequence[str]) -> str | None:
    htmx = getattr(request, "htmx", None)
    if not htmx or htmx.boosted or htmx.history_restore_request:
        return None
    if len(fragments) == 1:
        return fragments[0]
    return htmx.target if htmx.target in fragments else None


def _file_of(template: str, fragment: str) -> str:
    folder, _, _page = template.rpartition("/")
    return f"{folder}/_{fragment}.html"
