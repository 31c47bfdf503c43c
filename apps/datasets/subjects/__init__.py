"""From a record's payload to what graders see of it, and the rules that it brings. Pure.

One module a kind of record, each with `given`.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from apps.datasets.prompting import kind_of

from . import case, legal, pair, prompt, result, scenario, session
from .given import NOTHING, Given

__all__ = ["KINDS", "NOTHING", "Given", "given"]


class Kind(Protocol):
    def given(self, payload: Mapping[str, Any]) -> Given: ...


KINDS: dict[str, Kind] = {
    "prompt": prompt,
    "legal": legal,
    "case": case,
    "result": result,
    "scenario": scenario,
    "session": session,
    "pair": pair,
}


def given(payload: Mapping[str, Any]) -> Given:
    kind = KINDS.get(kind_of(payload))
    return kind.given(payload) if kind else NOTHING
