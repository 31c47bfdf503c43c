"""Agent scenarios, as graders see them: their labels, their rules, their verifier's outputs."""

from collections.abc import Mapping
from typing import Any

from .agents import rules_of, verifier_outputs_of
from .given import Given, asked


def given(payload: Mapping[str, Any]) -> Given:
    row = payload["row"]
    fields = asked(payload) | {
        "labels": tuple(row.get("labels", ())),
        "verifier_outputs": verifier_outputs_of(row),
    }
    return Given(fields=fields, record=rules_of(row))
