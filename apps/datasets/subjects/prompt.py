"""Records of the dataset contract, as graders see them."""

from collections.abc import Mapping
from typing import Any

from .given import Given, asked, brought


def given(payload: Mapping[str, Any]) -> Given:
    """With the tags as labels, and the rules that stand in the record's metadata."""
    tags = payload.get("tags")
    labels = tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
    fields = {**asked(payload), "labels": labels}
    return Given(fields=fields, record=brought(payload.get("metadata")))
