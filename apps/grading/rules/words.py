"""Text of records, answers and judges on its way into a reason."""

import re

# PostgreSQL keeps neither NUL nor unpaired surrogates.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def kept(text: str, limit: int) -> str:
    """The text as any database can keep it, clipped."""
    text = _UNSTORABLE.sub("\ufffd", text[: limit + 1])
    return text if len(text) <= limit else f"{text[:limit]}…"


def shown(text: str, limit: int = 80) -> str:
    """A text in quotes and clipped, for a reason that people read."""
    return repr(kept(text, limit))
