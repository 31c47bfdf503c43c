"""A labelling server in memory that keeps the whole protocol; tests let its people answer.

`fake_desk` is the fixture: `from tests.labeling.fake_desk import fake_desk` in a conftest has it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from threading import Event
from typing import Any, Literal
from uuid import UUID

import pytest

from apps.labeling.desk import desks
from apps.labeling.desk.protocol import (
    BATCH,
    About,
    Card,
    DeskDown,
    DeskRefused,
    Person,
    Response,
    Shape,
    There,
)

Values = Mapping[str, Any]
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
SECRET = "whsec_c2VjcmV0IG9mIGEgZmFrZSBkZXNr"


@dataclass
class Account:
    username: str
    name: str
    password: str = ""
    made: bool = True
    since: datetime = BEGINNING


@dataclass
class FakeDataset:
    workspace: str
    name: str
    shape: Shape
    cards: dict[str, Card] = field(default_factory=dict)
    since: dict[str, datetime] = field(default_factory=dict)
    """When each record was first put."""
    used_at: datetime = BEGINNING
    responses: dict[tuple[str, str], Response] = field(default_factory=dict)
    """By the external id of the record and the id of the person."""


class FakeDesk:
    """`down` makes every call fail; `down_after` lets so many calls pass before.

    `calls` has the name of every call that got through, in order. Who asks for the secret of a
    webhook waits until it `answers`.
    """

    def __init__(self) -> None:
        self.down = False
        self.down_after: int | None = None
        self.calls: list[str] = []
        self.accounts: dict[str, Account] = {}
        self.workspaces: dict[str, set[str]] = {}
        self.datasets: dict[str, FakeDataset] = {}
        self.webhooks: dict[str, str] = {}
        self.answers = Event()
        self.answers.set()
        self._numbers = count(1)
        self._moments = (BEGINNING + timedelta(seconds=n) for n in count())

    # -- the protocol -------------------------------------------------------------------------

    def about(self) -> About:
        self._call("about")
        return About(version="2.8.0", latency_ms=3)

    def ping(self) -> None:
        self._call("ping")

    def person(self, username: str, name: str, known_id: str = "") -> Person:
        self._call("person")
        of_that_name = (key for key, each in self.accounts.items() if each.username == username)
        known = known_id if known_id in self.accounts else next(of_that_name, None)
        if known is None:
            known = self._id()
            self.accounts[known] = Account(username, name, since=next(self._moments))
        account = self.accounts[known]
        account.name = name if account.made else account.name
        return Person(id=known, username=account.username, made=account.made)

    def set_password(self, person_id: str, password: str) -> None:
        self._call("set_password")
        self._account(person_id).password = password

    def people(self) -> Mapping[str, str]:
        self._call("people")
        return {key: account.username for key, account in self.accounts.items()}

    def let_in(self, workspace: str, person_ids: Sequence[str]) -> None:
        self._call("let_in")
        for person_id in person_ids:
            self._account(person_id)
        self.workspaces[workspace] = set(person_ids)

    def dataset(self, workspace: str, name: str, shape: Shape) -> str:
        self._call("dataset")
        if workspace not in self.workspaces:
            raise DeskRefused(f"There is no workspace {workspace}.")
        for dataset_id, there in self.datasets.items():
            if (there.workspace, there.name) == (workspace, name):
                return dataset_id
        dataset_id = self._id()
        self.datasets[dataset_id] = FakeDataset(workspace, name, shape)
        return dataset_id

    def wait_for(self, dataset_id: str, min_submitted: int) -> None:
        self._call("wait_for")
        there = self._dataset(dataset_id)
        there.shape = there.shape.model_copy(update={"min_submitted": min_submitted})

    def put(self, dataset_id: str, cards: Sequence[Card]) -> None:
        self._call("put")
        there = self._dataset(dataset_id)
        if not 0 < len(cards) <= BATCH:
            raise DeskRefused(f"A request carries 1 to {BATCH} records, not {len(cards)}.")
        if len({card.external_id for card in cards}) < len(cards):
            raise DeskRefused("A record is named twice in one request.")
        for card in cards:
            _check_fields(there.shape, card)
            there.since.setdefault(card.external_id, next(self._moments))
        there.cards.update((card.external_id, card) for card in cards)

    def responses(
        self, workspace: str, dataset_id: str, since: datetime | None = None
    ) -> Iterator[Response]:
        self._call("responses")
        there = self._dataset(dataset_id)
        if there.workspace != workspace:
            raise DeskRefused(f"There is no dataset {dataset_id} in {workspace}.")
        for external_id in there.cards:
            for each in list(there.responses.values()):
                recent = since is None or each.updated_at >= since
                if each.external_id == external_id and recent:
                    yield each

    def there(self, dataset_id: str) -> There:
        self._call("there")
        there = self._dataset(dataset_id)
        people = {key: account.since for key, account in self.accounts.items()}
        return There(people=people, records=there.since, used_at=there.used_at)

    def listen(self, url: str) -> None:
        self._call("listen")
        self.webhooks.setdefault(url, SECRET)

    def webhook_secret(self, url: str) -> str | None:
        self._call("webhook_secret")
        self.answers.wait()
        return self.webhooks.get(url)

    # -- what people do there -----------------------------------------------------------------

    def submit(self, dataset_id: str, external_id: str, username: str, values: Values) -> Response:
        """Answer, or change an answer; all that the dataset requires must be there."""
        asked = self._dataset(dataset_id).shape.questions
        missing = [each.key for each in asked if each.required and each.key not in values]
        if missing:
            raise DeskRefused(f"Answer {', '.join(missing)} first.")
        return self._answer(dataset_id, external_id, username, "submitted", values)

    def discard(
        self, dataset_id: str, external_id: str, username: str, values: Values | None = None
    ) -> Response:
        return self._answer(dataset_id, external_id, username, "discarded", values or {})

    def save_draft(
        self, dataset_id: str, external_id: str, username: str, values: Values
    ) -> Response:
        return self._answer(dataset_id, external_id, username, "draft", values)

    def take_back(self, dataset_id: str, external_id: str, username: str) -> None:
        """Delete the answer: nothing of it is left."""
        there = self._dataset(dataset_id)
        del there.responses[external_id, self.id_of(username)]
        there.used_at = next(self._moments)

    # -- what whoever runs it does ------------------------------------------------------------

    def rename(self, username: str, to: str) -> None:
        self.accounts[self.id_of(username)].username = to

    def remove_person(self, username: str) -> None:
        """With all that they answered."""
        person_id = self.id_of(username)
        del self.accounts[person_id]
        for inside in self.workspaces.values():
            inside.discard(person_id)
        for there in self.datasets.values():
            _remove(there.responses, 1, person_id)

    def remove_record(self, dataset_id: str, external_id: str) -> None:
        """With all that it was answered."""
        there = self._dataset(dataset_id)
        del there.cards[external_id], there.since[external_id]
        _remove(there.responses, 0, external_id)

    def restore(self, dataset_id: str, moment: datetime) -> None:
        """As it was then."""
        there = self._dataset(dataset_id)
        later = [key for key, each in there.responses.items() if each.updated_at > moment]
        for key in later:
            del there.responses[key]
        there.used_at = moment

    def had(self, username: str) -> str:
        """Somebody who was there before us."""
        person_id = self._id()
        self.accounts[person_id] = Account(username, username, made=False)
        return person_id

    def id_of(self, username: str) -> str:
        return next(key for key, each in self.accounts.items() if each.username == username)

    def dataset_named(self, workspace: str, name: str) -> str:
        return next(
            key
            for key, each in self.datasets.items()
            if (each.workspace, each.name) == (workspace, name)
        )

    # -- within -------------------------------------------------------------------------------

    def _answer(
        self,
        dataset_id: str,
        external_id: str,
        username: str,
        status: Literal["submitted", "discarded", "draft"],
        values: Values,
    ) -> Response:
        there, person_id = self._dataset(dataset_id), self.id_of(username)
        if person_id not in self.workspaces[there.workspace]:
            raise DeskRefused(f"{username} may not enter {there.workspace}.")
        if external_id not in there.cards:
            raise DeskRefused(f"There is no record {external_id}.")
        for key, value in values.items():
            _check_answer(there.shape, key, value)
        before, now = there.responses.get((external_id, person_id)), next(self._moments)
        response = Response(
            id=before.id if before else self._id(),
            external_id=external_id,
            person_id=person_id,
            status=status,
            values=dict(values),
            inserted_at=before.inserted_at if before else now,
            updated_at=now,
        )
        there.responses[external_id, person_id] = response
        there.used_at = now
        return response

    def _call(self, name: str) -> None:
        if self.down_after is not None:
            self.down, self.down_after = self.down_after == 0, max(0, self.down_after - 1)
        if self.down:
            raise DeskDown("The labelling desk does not answer.")
        self.calls.append(name)

    def _account(self, person_id: str) -> Account:
        if person_id not in self.accounts:
            raise DeskRefused(f"There is no person {person_id}.")
        return self.accounts[person_id]

    def _dataset(self, dataset_id: str) -> FakeDataset:
        if dataset_id not in self.datasets:
            raise DeskRefused(f"There is no dataset {dataset_id}.")
        return self.datasets[dataset_id]

    def _id(self) -> str:
        return str(UUID(int=next(self._numbers)))


@pytest.fixture
def fake_desk() -> Iterator[FakeDesk]:
    desk = FakeDesk()
    with desks.use(desk):
        yield desk


def _remove(responses: dict[tuple[str, str], Response], place: int, name: str) -> None:
    for key in [key for key in responses if key[place] == name]:
        del responses[key]


def _check_fields(shape: Shape, card: Card) -> None:
    known = {field.name for field in shape.fields}
    required = {field.name for field in shape.fields if field.required}
    if unknown := card.fields.keys() - known:
        raise DeskRefused(f"{card.external_id}: there is no field {', '.join(sorted(unknown))}.")
    if missing := required - card.fields.keys():
        raise DeskRefused(f"{card.external_id}: {', '.join(sorted(missing))} is missing.")


def _check_answer(shape: Shape, key: str, value: object) -> None:
    asked = next((each for each in shape.questions if each.key == key), None)
    if asked is None:
        raise DeskRefused(f"There is no question {key}.")
    options = {option.value for option in asked.options}
    fits = {
        "yes_no": value in ("true", "false"),
        "choice": isinstance(value, str) and value in options,
        "several": isinstance(value, list) and bool(value) and options.issuperset(value),
        "rating": isinstance(value, int) and str(value) in options,
        "text": isinstance(value, str),
    }
    if not fits[asked.kind]:
        raise DeskRefused(f"{value!r} is no answer to {key}.")
