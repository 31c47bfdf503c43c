"""What no template may hold: the policy would refuse it, or it would trust a text."""

import re
from pathlib import Path

import pytest

TEMPLATES = Path(__file__).parents[2] / "templates"
FORBIDDEN = {
    "an inline style": r"\sstyle=",
    "a style element": r"<style",
    "a script without a file": r"<script(?![^>]*\ssrc=)",
    "an event attribute": r"\son[a-z]+=[\"']",
    "an htmx expression": r"\shx-(on|vars)|hx-(vals|headers)=[\"']js:|hx-trigger=[^>]*\[",
    "a trusted text": r"\|\s*safe\b|\{%\s*autoescape off",
    "an address elsewhere": r"(src|href)=[\"']https?://",
}


@pytest.mark.parametrize(("what", "pattern"), FORBIDDEN.items())
def test_no_template_holds(what: str, pattern: str) -> None:
    guilty = [
        f"{path.relative_to(TEMPLATES)}:{number}"
        for path in sorted(TEMPLATES.rglob("*.html"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(pattern, line)
    ]

    assert not guilty, f"{what}: {', '.join(guilty)}"
