"""Records of the dataset contract, as graders see them."""

from collections.abc import Mapping
from typing import Any

from .given import Given, asked


def given(payload: Mapping[str, Any]) -> Given:
    return Given(fields=asked(payload))
