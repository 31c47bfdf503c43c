"""Numbers in sentences are written as pages write them."""

import re
from pathlib import Path

from apps.metrics.words import in_percent
from apps.web.templatetags.formats import percent

APPS = Path(__file__).parents[2] / "apps"
OWN_WAY = re.compile(r":[\d.]*%\}")


def test_a_sentence_writes_a_share_as_a_page_does() -> None:
    assert in_percent(2 / 3, 1) == percent(2 / 3) == "66.7 %"
    assert in_percent(0.85) == percent(0.85, 0) == "85 %"


def test_no_sentence_has_a_way_of_its_own_to_write_a_share() -> None:
    found = [
        f"{path.relative_to(APPS)}: {line.strip()}"
        for path in sorted(APPS.rglob("*.py"))
        for line in path.read_text().splitlines()
        if OWN_WAY.search(line) and r"\r" not in line  # a terminal's progress is no sentence
    ]

    assert found == []
