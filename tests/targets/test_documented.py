"""What docs/targets.md promises is what the code does."""

from pathlib import Path
from typing import get_args

import pytest

from apps.targets.contracts import TRANSIENT, ErrorCode
from apps.targets.credentials import DENIED_NAMES, DENIED_PREFIXES, DENIED_SUFFIXES
from apps.targets.specs import SPEC_OF_KIND

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "targets.md").read_text()


@pytest.mark.parametrize("name", [*DENIED_PREFIXES, *DENIED_SUFFIXES, *sorted(DENIED_NAMES)])
def test_every_refused_variable_is_named(name: str) -> None:
    assert f"`{name}`" in DOCUMENT


def test_every_kind_and_every_error_is_explained_the_transient_ones_first() -> None:
    rows = [line.split("`")[1] for line in DOCUMENT.splitlines() if line.startswith("| `")]

    assert rows[:4] == list(SPEC_OF_KIND)
    assert set(rows[4:8]) == TRANSIENT
    assert set(rows[4:]) == set(get_args(ErrorCode))
