"""What the chapter asks of the labelling server; `gateway` has it of Argilla, tests of their own.

Everything may be asked twice: what is there already is found by its name, not made again.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol

from apps.contract import Contract
from apps.labeling.plans import Asked
from apps.labeling.task_types.base import Field

BATCH = 500
"""Records that one request may carry."""

RATINGS = range(11)
"""The numbers that a scale may have."""


class DeskDown(Exception):
    """The server does not answer, or answers with a failure of its own: ask again later."""


class DeskRefused(Exception):
    """The server answered that it will not; asking again changes nothing."""


class About(Contract):
    """The server as it says of itself."""

    version: str
    latency_ms: int


class Person(Contract):
    """An account on the server; `made` says that it is of our making, now or in an earlier call."""

    id: str
    username: str
    made: bool


class Shape(Contract):
    """What a queue shows and asks."""

    fields: tuple[Field, ...]
    questions: tuple[Asked, ...]
    guidelines: str = ""
    min_submitted: int = 1


class Card(Contract):
    """One record to show: its id is ours, its texts by the names of the fields."""

    external_id: str
    fields: dict[str, str]
    metadata: dict[str, str | int | float] = {}


class Response(Contract):
    """What one person answered to one record. Only submitted and discarded ones are final.

    `values` by question key: a text, a number, or a list of texts; absent where not answered.
    """

    id: str
    external_id: str
    person_id: str
    status: Literal["submitted", "discarded", "draft"]
    values: Mapping[str, Any]
    inserted_at: datetime
    updated_at: datetime


class There(Contract):
    """Since when the accounts are there, by their ids, and the records of a dataset, by ours.

    `used_at`: when anybody last answered in the dataset, or took an answer back.
    """

    people: Mapping[str, datetime]
    records: Mapping[str, datetime]
    used_at: datetime


class Desk(Protocol):
    """Raises DeskDown and DeskRefused."""

    def about(self) -> About: ...

    def ping(self) -> None:
        """DeskDown unless it answers within a second."""
        ...

    def person(self, username: str, name: str, known_id: str = "") -> Person:
        """The account known by its id, else of that name, whatever either is called by now.

        Where it is missing it is made, with a password nobody knows.
        """
        ...

    def set_password(self, person_id: str, password: str) -> None: ...

    def people(self) -> Mapping[str, str]:
        """The username of every account by its id."""
        ...

    def let_in(self, workspace: str, person_ids: Sequence[str]) -> None:
        """Make the workspace where it is missing; exactly these annotators are in it."""
        ...

    def dataset(self, workspace: str, name: str, shape: Shape) -> str:
        """The id of the published dataset of that name, made where it is missing."""
        ...

    def wait_for(self, dataset_id: str, min_submitted: int) -> None:
        """Have every record of the dataset wait for so many answers."""
        ...

    def put(self, dataset_id: str, cards: Sequence[Card]) -> None:
        """Add or replace at most BATCH records, by their external ids."""
        ...

    def responses(
        self, workspace: str, dataset_id: str, since: datetime | None = None
    ) -> Iterator[Response]:
        """Every response of a dataset, drafts too; with `since` at least those changed after."""
        ...

    def there(self, dataset_id: str) -> There: ...

    def listen(self, url: str) -> None:
        """Have responses told to the address, once."""
        ...

    def webhook_secret(self, url: str) -> str | None:
        """The secret that what comes to the address is signed with."""
        ...
