"""From a record's payload to what graders see of it, and the rules that it brings. Pure.

One module a kind of record, each with `given`; those whose records tell how an answer that came
along was made have `answered` too.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from apps.datasets.prompting import kind_of

from . import case, legal, pair, prompt, result, scenario, session
from .given import NOTHING, Given, of_dataset

__all__ = ["KINDS", "NOTHING", "Given", "answered", "given", "of_dataset"]


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


def answered(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a Subject that are known where the answer came with the record itself."""
    tells = getattr(KINDS.get(kind_of(payload)), "answered", None)
    return tells(payload) if tells else {}


def given(payload: Mapping[str, Any]) -> Given:
    kind = KINDS.get(kind_of(payload))
    return kind.given(payload) if kind else NOTHING
