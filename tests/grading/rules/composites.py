"""Composites, and members for them."""

from collections.abc import Mapping
from typing import Any

from apps.grading.contracts import Subject
from apps.grading.rules.composite import Composite

ALPHA = {"type": "contains", "name": "a", "value": "alpha"}
BETA = {"type": "contains", "name": "b", "value": "beta"}
SAYS_ALPHA = Subject(response="alpha")


def composite(*rules: Mapping[str, Any], **settings: Any) -> Composite:
    return Composite.model_validate({"name": "g", "rules": list(rules), **settings})


JUDGE = {"type": "criteria_judge", "name": "j", "default_criteria": ["overall"]}
