"""What a sync brought, and what it leaves to say."""

from datetime import datetime, timedelta
from typing import Any, Literal

from pydantic import ConfigDict

from apps.contract import Contract

LATE = timedelta(minutes=2)
"""An answer has the moment at which its transaction began, and is seen when that ends."""

SLACK = timedelta(minutes=1)
"""What Argilla may note of the use of a dataset later than of the answer."""


class Synced(Contract):
    """Annotations that are new, changed, as before or taken back; answers that count for nothing.

    A draft is not given yet; of an unknown answer the person or the record is not one of ours.
    """

    new: int = 0
    changed: int = 0
    same: int = 0
    withdrawn: int = 0
    drafts: int = 0
    unknown: int = 0

    def __add__(self, other: "Synced") -> "Synced":
        mine, theirs = self.model_dump(), other.model_dump()
        return Synced(**{name: mine[name] + theirs[name] for name in mine})

    @property
    def is_news(self) -> bool:
        return bool(self.new or self.changed or self.withdrawn)

    @property
    def told(self) -> str:
        always = {"new": self.new, "changed": self.changed, "as before": self.same}
        others = {
            "taken back": self.withdrawn,
            "still in draft": self.drafts,
            "of people or records that nobody knows here": self.unknown,
        }
        counts = always | {what: n for what, n in others.items() if n}
        return ", ".join(f"{n:,} {what}" for what, n in counts.items())


class Stored(Contract):
    """What is kept between syncs: a worker that is one version older or newer reads it as well."""

    model_config = ConfigDict(extra="ignore")


class Stray(Stored):
    """An answer that cannot be kept as one of ours, because its person or its record is unknown."""

    response_id: str
    queue: str
    external_id: str
    person: str
    unknown: Literal["person", "record"]
    status: str
    values: dict[str, Any]
    given_at: datetime


class Lost(Stored):
    """Answers that are kept although they are no longer there, by what took them away.

    Deleting a person or a record in Argilla deletes their answers; an older database never had
    them. Nobody has taken them back.
    """

    person: int = 0
    record: int = 0
    database: int = 0

    def __add__(self, other: "Lost") -> "Lost":
        mine, theirs = self.model_dump(), other.model_dump()
        return Lost(**{name: mine[name] + theirs[name] for name in mine})

    @property
    def total(self) -> int:
        return self.person + self.record + self.database

    @property
    def told(self) -> str:
        why = {
            "because their person was deleted there": self.person,
            "because their record was deleted there": self.record,
            "because Argilla has an older database": self.database,
        }
        return ", ".join(f"{n:,} {what}" for what, n in why.items() if n)


class Heard(Stored):
    """What is known of a campaign's syncs: its report `sync`.

    `read_at` is when the last reading began, `whole_at` the last of everything, None where somebody
    waits for one; `wanted_at` is when everything was last asked for, `changed_at` when a reading
    last found anything that was not known. Until `rests_until` Argilla has time for the people in
    front of it. `strays` are at most 1,000 of the `unknown` answers. `lost` is what the last
    reading of everything found; `restored` has, by the id of a dataset, the moment up to which
    answers may have been lost with its database; `unnamed` says why the people of `strays` have no
    names; `whole_through` is the newest answer that was there when all of it was last read.
    """

    read_at: datetime | None = None
    whole_at: datetime | None = None
    wanted_at: datetime | None = None
    changed_at: datetime | None = None
    rests_until: datetime | None = None
    unknown: int = 0
    strays: tuple[Stray, ...] = ()
    unnamed: str = ""
    lost: Lost = Lost()
    restored: dict[str, datetime] = {}
    whole_through: dict[str, datetime] = {}

    @property
    def is_calm(self) -> bool:
        """Whether it was read long after the newest answer came, and nothing late was found."""
        if not (self.read_at and self.changed_at):
            return False
        return self.read_at - self.changed_at >= LATE + SLACK

    def unread_since(self, newest: datetime | None) -> datetime | None:
        """What is not known of a queue is not older, `newest` being its newest answer that is; None
        where nothing tells.

        Where it is calm Argilla, which knows when a dataset was last used, then reads nothing.
        """
        if newest is None:
            return None
        return newest + SLACK if self.is_calm else newest - LATE
