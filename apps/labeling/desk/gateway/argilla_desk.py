"""The protocol of `desk` on Argilla's API; what was begun and not ended is found by its name."""

import hmac
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID

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

from . import payloads
from .connection import Conflict, Connection, Missing

PAGE = 500
PING_SECONDS = 1.0
EVENTS = ["response.created", "response.updated", "response.deleted"]


class ArgillaDesk:
    """`installation` is a text that only this EvalHub knows: what it made is known again by it."""

    def __init__(
        self, connection: Connection, *, installation: str, within: float | None = None
    ) -> None:
        self._call = partial(connection.call, within=within)
        self._installation = installation

    def about(self) -> About:
        self._call("GET", "me")  # with a key that no longer opens anything, it is not ours
        begun = time.monotonic()
        version = self._call("GET", "version")["version"]
        return About(version=version, latency_ms=round(1000 * (time.monotonic() - begun)))

    def ping(self) -> None:
        self._call("GET", "version", within=PING_SECONDS)

    # -- people -------------------------------------------------------------------------------

    def person(self, username: str, name: str, known_id: str = "") -> Person:
        own_id = self._id_of(username)
        first_name, _, last_name = (name.strip() or username).partition(" ")
        named = {"first_name": first_name, "last_name": last_name.strip() or None}
        there = self._account(known_id, own_id, username)
        there = there or self._make(own_id, username, named)
        made = there["id"] == own_id
        if made and {key: there[key] for key in named} != named:
            self._call("PATCH", f"users/{own_id}", body=named)
        return Person(id=there["id"], username=there["username"], made=made)

    def set_password(self, person_id: str, password: str) -> None:
        self._call("PATCH", f"users/{person_id}", body={"password": password})

    def people(self) -> Mapping[str, str]:
        return {each["id"]: each["username"] for each in self._call("GET", "users")["items"]}

    def let_in(self, workspace: str, person_ids: Sequence[str]) -> None:
        path = f"workspaces/{self._workspace(workspace) or self._make_workspace(workspace)}/users"
        inside = {each["id"]: each["role"] for each in self._call("GET", path)["items"]}
        for person_id in sorted(set(person_ids) - inside.keys()):
            with suppress(Conflict):
                self._call("POST", path, body={"user_id": person_id})
        for person_id in sorted(inside.keys() - set(person_ids)):
            if inside[person_id] == "annotator":  # an admin of the server is not ours to send away
                with suppress(Missing):
                    self._call("DELETE", f"{path}/{person_id}")

    # -- what is asked ------------------------------------------------------------------------

    def dataset(self, workspace: str, name: str, shape: Shape) -> str:
        workspace_id = self._workspace(workspace)
        if not workspace_id:
            raise DeskRefused(f"There is no workspace {workspace!r} in Argilla: let people in.")
        there = self._dataset(workspace_id, name)
        if there and there["status"] == "ready":
            return str(there["id"])
        if there:  # half made: nobody can have answered
            with suppress(Missing):
                self._call("DELETE", f"datasets/{there['id']}")
        return self._make_dataset(workspace_id, name, shape)

    def wait_for(self, dataset_id: str, min_submitted: int) -> None:
        path, wanted = f"datasets/{dataset_id}", payloads.distribution(min_submitted)
        if self._call("GET", path)["distribution"] != wanted:
            self._call("PATCH", path, body={"distribution": wanted})

    def put(self, dataset_id: str, cards: Sequence[Card]) -> None:
        if not 0 < len(cards) <= BATCH:
            raise DeskRefused(f"A request carries 1 to {BATCH} records, not {len(cards)}.")
        items = [payloads.record(card) for card in cards]
        self._call("PUT", f"datasets/{dataset_id}/records/bulk", body={"items": items})

    # -- what is answered ---------------------------------------------------------------------

    def responses(
        self, workspace: str, dataset_id: str, since: datetime | None = None
    ) -> Iterator[Response]:
        """Argilla cannot be asked for what changed, but knows when a dataset last did.

        A response changes neither the moment of its record nor anything else that its search may
        filter by, so everything is read where anything changed.
        """
        if since and self._last_activity(dataset_id) < since:
            return
        for record in self._records(dataset_id, include="responses"):
            for given in record.get("responses", ()):
                response = _response(record["external_id"], given)
                if record["external_id"] and (not since or response.updated_at >= since):
                    yield response

    def there(self, dataset_id: str) -> There:
        accounts = self._call("GET", "users")["items"]
        records = self._records(dataset_id)
        return There(
            people={each["id"]: _moment(each["inserted_at"]) for each in accounts},
            records={
                each["external_id"]: _moment(each["inserted_at"])
                for each in records
                if each["external_id"]
            },
            used_at=self._last_activity(dataset_id),
        )

    def _records(self, dataset_id: str, **include: str) -> Iterator[dict[str, Any]]:
        """All of them, once each; DeskDown where some were moved or deleted meanwhile."""
        seen: set[str] = set()
        offset, total = 0, 1
        while offset < total:
            page = self._call(
                "GET",
                f"datasets/{dataset_id}/records",
                params={**include, "offset": offset, "limit": PAGE},
            )
            total, offset = page["total"], offset + PAGE
            fresh = [each for each in page["items"] if each["id"] not in seen]
            seen.update(each["id"] for each in fresh)
            yield from fresh
        if len(seen) < total:
            raise DeskDown("Records of Argilla were moved while they were read: read them again.")

    # -- who is told --------------------------------------------------------------------------

    def listen(self, url: str) -> None:
        wanted = {"url": url, "events": EVENTS}
        hooks = self._own_webhooks()
        if not hooks:
            self._call("POST", "webhooks", body={**wanted, "description": self._signature})
            return
        if {key: hooks[0][key] for key in wanted} != wanted:
            self._call("PATCH", f"webhooks/{hooks[0]['id']}", body=wanted)
        for twice in hooks[1:]:  # two of our processes were quick
            with suppress(Missing):
                self._call("DELETE", f"webhooks/{twice['id']}")

    def webhook_secret(self, url: str) -> str | None:
        return next((hook["secret"] for hook in self._own_webhooks() if hook["url"] == url), None)

    # -- within -------------------------------------------------------------------------------

    @property
    def _signature(self) -> str:
        return f"EvalHub {self._keyed('webhook')[:12]}"

    def _id_of(self, username: str) -> str:
        """The id that an account has if we made it, however often we are killed meanwhile."""
        return str(UUID(hex=self._keyed(f"person {username}")[:32], version=4))

    def _keyed(self, text: str) -> str:
        return hmac.new(self._installation.encode(), text.encode(), "sha256").hexdigest()

    def _account(self, known_id: str, own_id: str, username: str) -> dict[str, Any] | None:
        accounts = self._call("GET", "users")["items"]
        by_id = {each["id"]: each for each in accounts}
        of_that_name = (each for each in accounts if each["username"] == username)
        return by_id.get(known_id) or by_id.get(own_id) or next(of_that_name, None)

    def _make(self, own_id: str, username: str, named: dict[str, str | None]) -> dict[str, Any]:
        body = {
            "id": own_id,
            "username": username,
            **named,
            "role": "annotator",
            "password": secrets.token_urlsafe(32),
        }
        made: dict[str, Any] = self._call("POST", "users", body=body)
        return made

    def _workspace(self, name: str) -> str | None:
        there = self._call("GET", "me/workspaces")["items"]
        found = (each["id"] for each in there if each["name"] == payloads.fitted(name))
        return next(found, None)

    def _make_workspace(self, name: str) -> str:
        return str(self._call("POST", "workspaces", body={"name": payloads.fitted(name)})["id"])

    def _dataset(self, workspace_id: str, name: str) -> dict[str, Any] | None:
        there = self._call("GET", "me/datasets", params={"workspace_id": workspace_id})["items"]
        return next((each for each in there if each["name"] == payloads.fitted(name)), None)

    def _make_dataset(self, workspace_id: str, name: str, shape: Shape) -> str:
        fields, questions = payloads.fields(shape), payloads.questions(shape)
        made = self._call("POST", "datasets", body=payloads.dataset(name, workspace_id, shape))
        path = f"datasets/{made['id']}"
        for field in fields:
            self._call("POST", f"{path}/fields", body=field)
        for question in questions:
            self._call("POST", f"{path}/questions", body=question)
        self._call("PUT", f"{path}/publish")
        return str(made["id"])

    def _last_activity(self, dataset_id: str) -> datetime:
        return _moment(self._call("GET", f"datasets/{dataset_id}")["last_activity_at"])

    def _own_webhooks(self) -> list[dict[str, Any]]:
        hooks = self._call("GET", "webhooks")["items"]
        ours = (each for each in hooks if each["description"] == self._signature)
        return sorted(ours, key=lambda hook: str(hook["inserted_at"]))


def _response(external_id: str, given: Mapping[str, Any]) -> Response:
    values = given["values"] or {}
    return Response(
        id=given["id"],
        external_id=external_id,
        person_id=given["user_id"],
        status=given["status"],
        values={key: answer["value"] for key, answer in values.items()},
        inserted_at=_moment(given["inserted_at"]),
        updated_at=_moment(given["updated_at"]),
    )


def _moment(text: str) -> datetime:
    """Argilla's clock is UTC and does not say so."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
