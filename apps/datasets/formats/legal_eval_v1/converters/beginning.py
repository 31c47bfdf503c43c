"""What the converters share: how a row begins, and ids that stay the same."""

import hashlib
from collections.abc import Mapping
from typing import Any

from apps.datasets.formats.legal_eval_v1.shape import SCHEMA_VERSION

Row = dict[str, Any]
Raw = Mapping[str, Any]


class Inconvertible(ValueError):
    """Why a row has no place in the format."""


def beginning(named: str, dataset: str, task_type: str, prompt: str) -> Row:
    return {
        "schema_version": SCHEMA_VERSION,
        "id": named,
        "dataset": dataset,
        "task_type": task_type,
        "prompt": prompt,
    }


def text_of(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def is_row(value: Any) -> bool:
    return isinstance(value, dict)


def stable_hash(text: str) -> str:
    spelled = text.encode("utf-8", "surrogatepass")
    return hashlib.sha1(spelled, usedforsecurity=False).hexdigest()[:16]
