"""People who answer through Argilla's own API, as a page would: found, drafted, given, changed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import httpx

from tests.processes import wait_until

QUESTIONS = {
    "relevance": ("label",),
    "grounding_full": (
        *("support_present", "unsupported_claim_present", "contradicted_claim_present"),
        *("source_cited", "fabricated_source"),
    ),
}
"""Of a task, as Argilla calls them."""

REASONS = ("invalid_or_unrealistic", "unclear", "outside_reviewer_expertise")
PAGE = 100

Values = dict[str, str]


class Act(NamedTuple):
    """One thing that somebody does with a record; `deleted` has no values."""

    status: str
    values: Values


class Annotator:
    """With a key of their own; what they do again because the server died is the same."""

    def __init__(self, url: str, username: str, key: str) -> None:
        self.username = username
        self._http = httpx.Client(
            base_url=f"{url}/api/v1", headers={"X-Argilla-Api-Key": key}, timeout=60
        )

    def records(self, dataset: str) -> Iterator[tuple[str, str]]:
        """The ids of all records, Argilla's and ours."""
        offset, total = 0, 1
        while offset < total:
            found = self._call(
                "POST",
                f"/me/datasets/{dataset}/records/search?limit={PAGE}&offset={offset}",
                json={},
            )
            for each in found["items"]:
                yield each["record"]["id"], each["record"]["external_id"]
            total, offset = found["total"], offset + PAGE

    def does(self, record: str, acts: Sequence[Act]) -> None:
        """One after the other, on what the one before made; who finds the server dead waits."""
        response = ""
        for act in acts:
            try:
                response = self._does(record, act, response)
            except Unwell:
                response = self._until_done(record, act, response)

    def gives(self, records: Sequence[str], act: Act) -> None:
        """The same to many records, as fast as Argilla takes it."""
        for start in range(0, len(records), PAGE):
            items = [{"record_id": each, **_body(act)} for each in records[start : start + PAGE]]
            self._call("POST", "/me/responses/bulk", json={"items": items})

    def _does(self, record: str, act: Act, response: str) -> str:
        """As Argilla's page does it."""
        if act.status == "deleted":
            self._call("DELETE", f"/responses/{response}")
        elif response:
            self._call("PUT", f"/responses/{response}", json=_body(act))
        else:
            made = self._call("POST", f"/records/{record}/responses", json=_body(act))
            response = str(made["id"])
        return response

    def _until_done(self, record: str, act: Act, response: str) -> str:
        """However often Argilla dies meanwhile."""
        while True:
            with suppress(Unwell, httpx.TransportError):
                return self._does_again(record, act, response)

    def _does_again(self, record: str, act: Act, response: str) -> str:
        """Whether or not it was done before."""
        wait_until(self._answers, 120)
        if act.status == "deleted":
            self._http.delete(f"/responses/{response}")
            return response
        item = {"record_id": record, **_body(act)}
        made = self._call("POST", "/me/responses/bulk", json={"items": [item]})
        return str(made["items"][0]["item"]["id"])

    def _answers(self) -> bool:
        try:
            return self._http.get("/status").is_success
        except httpx.TransportError:
            return False

    def _call(self, method: str, path: str, **options: Any) -> Any:
        try:
            answer = self._http.request(method, path, **options)
        except httpx.TransportError as error:
            raise Unwell from error
        if answer.status_code >= 500:
            raise Unwell(answer.text)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None


class Unwell(Exception):
    """The server does not answer, or fails."""


def plan_of(person: str, item: str, task: str) -> list[Act]:
    """What a person does with an item: the same whenever it is asked; two often differ.

    Of 100 about 4 stay drafts, 6 are discarded, 8 changed, 3 deleted, 3 drafts again, the others
    given at once.
    """
    dice, truth = random.Random(f"{person} {item}"), random.Random(item)
    first = {name: _label(truth.random() < 0.6, dice) for name in QUESTIONS[task]}
    second = {name: _label(truth.random() < 0.6, dice) for name in QUESTIONS[task]}
    given, changed = Act("submitted", first), Act("submitted", second)
    draft, deleted = Act("draft", first), Act("deleted", {})
    discarded = Act("discarded", {"discard_reason": dice.choice(REASONS), "notes": "No."})
    chosen = dice.randrange(100)
    kinds = [
        (4, [draft]),
        (10, [discarded]),
        (14, [draft, given, changed]),
        (18, [given, changed]),
        (21, [given, deleted]),
        (24, [given, draft]),
        (26, [given, discarded]),
        (100, [given]),
    ]
    return next(acts for below, acts in kinds if chosen < below)


def left_of(acts: Sequence[Act]) -> Act | None:
    """What counts in the end; None where nothing does."""
    last = acts[-1]
    return last if last.status in ("submitted", "discarded") else None


def _label(truth: bool, dice: random.Random) -> str:
    """Right five times in six."""
    return str(truth != (dice.random() < 1 / 6)).lower()


def _body(act: Act) -> dict[str, Any]:
    values = {name: {"value": value} for name, value in act.values.items()}
    return {"status": act.status, "values": values}
