"""Every text token against every surface it is written on, in both themes (WCAG 2.2 AA)."""

import re
from pathlib import Path

import pytest

CSS = Path(__file__).parents[2] / "static/css"
PAIR = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
COLOURS: dict[str, tuple[str, str]] = {
    name: (light, dark)
    for sheet in ("tokens", "charts")
    for name, light, dark in PAIR.findall((CSS / f"{sheet}.css").read_text())
}

PAPER = ["bg", "panel", "raised", "hover"]
SOFT = ["ok-soft", "warn-soft", "bad-soft", "info-soft", "accent-soft"]
TEXT = [
    *[(ink, ground) for ink in ("ink", "ink-2", "ink-3") for ground in PAPER],
    *[(ink, ground) for ink in ("ink", "ink-2") for ground in ["sunken", *SOFT]],
    *[(tone, ground) for tone in ("ok", "warn", "bad", "info", "accent") for ground in PAPER],
    *[(tone, f"{tone}-soft") for tone in ("ok", "warn", "bad", "info")],
    ("ink-3", "accent-soft"),
    ("accent-strong", "accent-soft"),
    ("on-accent", "accent"),
    ("on-accent", "accent-strong"),
    ("on-bad", "bad"),
]
EDGES = [(edge, ground) for edge in ("line-control", "accent") for ground in ("bg", "panel")]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), TEXT)
def test_text_can_be_read(ink: str, ground: str, theme: str) -> None:
    assert _contrast(_colour(ink, theme), _colour(ground, theme)) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("edge", "ground"), EDGES)
def test_controls_and_focus_can_be_seen(edge: str, ground: str, theme: str) -> None:
    assert _contrast(_colour(edge, theme), _colour(ground, theme)) >= 3


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("number", range(8))
def test_series_of_a_picture_can_be_seen(number: int, theme: str) -> None:
    assert _contrast(_colour(f"series-{number}", theme), _colour("panel", theme)) >= 3


def _colour(name: str, theme: str) -> str:
    return COLOURS[name][theme == "dark"]


def _contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
