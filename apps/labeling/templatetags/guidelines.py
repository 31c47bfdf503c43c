"""What leads write in Markdown, as people read it."""

from collections.abc import Sequence

from django import template
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

register = template.Library()

_BELOW_A_CARD = 2
"""Levels that headings go down: the card that they stand in has one of its own."""

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


@register.filter
def markdown(text: str) -> SafeString:
    """HTML that is written is shown as text, what a link may lead to is the library's own list."""
    tokens = _MARKDOWN.parse(text)
    _lower_headings(tokens)
    html: str = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return mark_safe(html)  # noqa: S308


def _lower_headings(tokens: Sequence[Token]) -> None:
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + _BELOW_A_CARD)}"
