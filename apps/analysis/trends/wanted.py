"""What the addresses of trends and boards ask for; the same address shows the same thing."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, NamedTuple, Self
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.dateparse import parse_datetime
from pydantic import AfterValidator, ConfigDict, Field

from apps.contract import Contract

LONGEST = 300
_YEARS = range(1970, 9000)


def _askable(text: str) -> str:
    """PostgreSQL takes no NUL, and nothing that we look up is longer."""
    return text.replace("\0", "")[:LONGEST]


Given = Annotated[str, AfterValidator(_askable)]


class Offer(NamedTuple):
    """Another choice, of which there is something to show: the query of its address, its name."""

    query: str
    name: str


class Wanted(Contract):
    """Empty means what goes without saying; anything in a switch turns it on."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)
    called: ClassVar[Mapping[str, str]] = {}
    """What people call the parts that somebody may ask for and not get."""

    @classmethod
    def of(cls, query: QueryDict) -> Self:
        return cls.model_validate(query.dict())

    def lacks(self, answered: Self) -> list[str]:
        """What was asked for and is not in the answer: a copied link shows what it names, or says
        that it does not."""
        asked, got = self.model_dump(), answered.model_dump()
        return [name for part, name in self.called.items() if asked[part] not in ("", got[part])]

    def query(self, **changes: Any) -> str:
        """As the query of an address, with these parts other than they are."""
        parts = {**self.model_dump(by_alias=True), **changes}
        return urlencode({name: value for name, value in parts.items() if value})


class TrendWanted(Wanted):
    """`slice` is a family and a value, `tag=billing`; `since` a moment, `from` in the address.

    `version` is of the dataset, `contract` a version too, or `none`; `judges` a `parts.key_of`.
    `mixed`: all runs together, not those alone that are alike.
    """

    called = {
        "target": "target",
        "version": "dataset version",
        "contract": "grading contract",
        "judges": "judges",
        "metric": "metric",
        "slice": "slice",
        "since": "date",
    }

    dataset: Given = ""
    metric: Given = ""
    target: Given = ""
    version: Given = ""
    contract: Given = ""
    judges: Given = ""
    slice: Given = ""
    regrades: Given = ""
    mixed: Given = ""
    since: Given = Field(default="", alias="from")

    @property
    def moment(self) -> datetime | None:
        """None where nothing that can be read was given, or no moment that a run may end at."""
        try:
            found = parse_datetime(self.since) or datetime.fromisoformat(self.since)
        except ValueError:
            return None
        aware = found.replace(tzinfo=found.tzinfo or UTC)
        return aware if found.year in _YEARS else None


class BoardWanted(Wanted):
    """`every`: all runs, not the newest of each target version alone. `kind`: of the records whose
    verdict changes."""

    called = {"contract": "grading contract", "metric": "metric"}

    version: Given = ""
    contract: Given = ""
    metric: Given = ""
    every: Given = ""
    kind: Given = ""
    page: Given = ""

    @property
    def number(self) -> int:
        """Of the page, from 1."""
        return max(1, int(self.page)) if self.page.isdecimal() and len(self.page) < 7 else 1
