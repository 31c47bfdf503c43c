"""Icons inside of a page: what lucide draws, and what a screen reader hears of it."""

from xml.etree import ElementTree

import pytest
from lucide.templatetags.lucide import lucide

from apps.web.icons import icon_svg


@pytest.mark.parametrize("name", ["x", "circle-check", "user", "triangle-alert"])
def test_an_icon_is_the_drawing_that_lucide_makes(name: str) -> None:
    drawn = icon_svg(name, 16, "")

    assert drawn == lucide(name, size=16, aria_hidden="true")


def test_an_icon_that_says_something_is_an_image_with_that_name() -> None:
    svg = ElementTree.fromstring(icon_svg("x", 20, 'Close "all" <now>'))

    assert (svg.get("role"), svg.get("aria-label")) == ("img", 'Close "all" <now>')
    assert svg.get("aria-hidden") is None
    assert (svg.get("width"), svg.get("height")) == ("20", "20")


def test_an_icon_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError, match=r"no-such-icon\.svg"):
        icon_svg("no-such-icon", 16, "")
