"""What the address of a comparison asks for; the same address shows the same thing."""

from typing import Annotated, Any, Self
from urllib.parse import urlencode

from django.http import QueryDict
from pydantic import AfterValidator, ConfigDict

from apps.contract import Contract

LONGEST = 300
MOST_NAMED = 50
"""Parameters named `run` that are looked at; how many may be compared is told elsewhere."""


OF_WHAT = ("metric", "family", "value", "move", "q", "page")
"""What narrows the records: taken away for a link that says it anew."""

OF_ONE = ("record", "full", "trial")
"""What says which record is open over the others, and how much of it is shown."""

OF_RECORDS = ("value", "move", "q", "page", *OF_ONE)
"""What only the pages of records ask for."""


def _askable(text: str) -> str:
    """PostgreSQL takes no NUL, and nothing that we look up is longer."""
    return text.replace("\0", "")[:LONGEST]


Given = Annotated[str, AfterValidator(_askable)]


class Wanted(Contract):
    """Empty means what goes without saying: the baseline that a gate's policy approved, else the
    oldest; the first candidate; all. Pages lead to an address that names both.

    `keep` is the baseline if it is still among the runs: others are being chosen.
    `move` is one of `metrics.compared.MOVES`, `different`, `only_baseline` or `only_candidate`;
    `family` and `value` name a slice; `record` is the ordinal of the one that is open over the
    others; `full` with anything in it: answers without omissions.
    """

    model_config = ConfigDict(extra="ignore")

    run: tuple[Given, ...] = ()
    baseline: Given = ""
    keep: Given = ""
    candidate: Given = ""
    metric: Given = ""
    family: Given = ""
    value: Given = ""
    move: Given = ""
    q: Given = ""
    record: Given = ""
    full: Given = ""
    trial: Given = ""
    page: Given = ""

    @classmethod
    def of(cls, query: QueryDict) -> Self:
        runs = query.getlist("run")[:MOST_NAMED]
        return cls.model_validate({**query.dict(), "run": [run.strip() for run in runs]})

    @property
    def number(self) -> int:
        """Of the page, from 1."""
        return max(1, _small(self.page))

    @property
    def opened(self) -> int | None:
        return int(self.record) if _is_small(self.record) else None

    @property
    def of_trial(self) -> int:
        """Which try of a record is looked at, from 0."""
        return _small(self.trial)

    def query(self, **changes: Any) -> str:
        """As the query of an address, with these parts other than they are."""
        parts = {**self.model_dump(), **changes}
        return urlencode({name: value for name, value in parts.items() if value}, doseq=True)


def _small(text: str) -> int:
    return int(text) if _is_small(text) else 0


def _is_small(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
