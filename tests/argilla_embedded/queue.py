"""A queue on a real desk: a dataset with records, and the people who answer them."""

import secrets
from typing import Any

from tests.desk import Desk

LABELS = [{"value": each, "text": each} for each in ("good", "bad")]
FIELDS = {
    "query": {"type": "text", "use_markdown": False},
    "response": {"type": "text", "use_markdown": True},
    "turns": {"type": "chat", "use_markdown": True},
}
QUESTIONS = {
    "label": {"type": "label_selection", "options": LABELS},
    "rating": {"type": "rating", "options": [{"value": each} for each in range(1, 6)]},
    "why": {"type": "text", "use_markdown": False},
}
METADATA = {
    "source": {"type": "terms", "values": ["web", "wiki"]},
    "batch": {"type": "integer"},
    "score": {"type": "float"},
}


class Person:
    def __init__(self, desk: Desk, name: str, workspace: str) -> None:
        self._desk = desk
        self.name = name
        account = {"first_name": name, "username": name, "role": "annotator"}
        made = desk.call("POST", "/api/v1/users", json={**account, "password": "correct horse"})
        self.id, self.key = made["id"], made["api_key"]
        desk.call("POST", f"/api/v1/workspaces/{workspace}/users", json={"user_id": self.id})

    def call(self, method: str, path: str, **options: Any) -> Any:
        return self._desk.call(method, path, key=self.key, **options)


class Queue:
    """Empty at first, published."""

    def __init__(self, desk: Desk, *, min_submitted: int = 1) -> None:
        self.desk = desk
        name = f"q-{secrets.token_hex(4)}"
        self.workspace = desk.call("POST", "/api/v1/workspaces", json={"name": name})["id"]
        self.id = self._make(name, min_submitted)

    def _make(self, name: str, min_submitted: int) -> str:
        overlap = {"strategy": "overlap", "min_submitted": min_submitted}
        dataset = {"name": name, "workspace_id": self.workspace, "distribution": overlap}
        made: str = self.desk.call("POST", "/api/v1/datasets", json=dataset)["id"]
        parts = {"fields": FIELDS, "questions": QUESTIONS, "metadata-properties": METADATA}
        for part, named in parts.items():
            for each, settings in named.items():
                body: dict[str, Any] = {"name": each, "title": each, "settings": settings}
                if part == "metadata-properties":
                    body["visible_for_annotators"] = True
                else:
                    body["required"] = each in ("query", "label")
                self.desk.call("POST", f"/api/v1/datasets/{made}/{part}", json=body)
        self.desk.call("PUT", f"/api/v1/datasets/{made}/publish")
        return made

    def person(self, name: str) -> Person:
        return Person(self.desk, f"{name}-{secrets.token_hex(3)}", self.workspace)

    def question(self, name: str) -> str:
        found = self.desk.call("GET", f"/api/v1/datasets/{self.id}/questions")["items"]
        return next(each["id"] for each in found if each["name"] == name)

    def put(self, *records: dict[str, Any]) -> list[str]:
        """The ids that the server gave; a record says its fields, metadata and suggestions."""
        bulk = f"/api/v1/datasets/{self.id}/records/bulk"
        items = self.desk.call("PUT", bulk, json={"items": list(records)})["items"]
        return [each["id"] for each in items]

    def find(
        self, person: Person | None = None, *, limit: int = 50, offset: int = 0, **asked: Any
    ) -> tuple[list[str], int]:
        """The external ids that a person, or the owner, finds, in order, and how many there are."""
        me = "/me" if person else ""
        path = f"/api/v1{me}/datasets/{self.id}/records/search?limit={limit}&offset={offset}"
        found = (person or self.desk).call("POST", path, json=asked)
        return [each["record"]["external_id"] for each in found["items"]], found["total"]

    def answer(self, person: Person, record: str, label: str = "good", **more: Any) -> str:
        answers = {"label": {"value": label}, **{name: {"value": v} for name, v in more.items()}}
        body = {"status": "submitted", "values": answers}
        return str(person.call("POST", f"/api/v1/records/{record}/responses", json=body)["id"])

    def discard(self, person: Person, record: str) -> None:
        body = {"status": "discarded", "values": {}}
        person.call("POST", f"/api/v1/records/{record}/responses", json=body)


def text(words: str, field: str = "") -> dict[str, Any]:
    return {"text": {"q": words, **({"field": field} if field else {})}}


def terms(entity: str, *values: str, **scope: str) -> dict[str, Any]:
    return {"type": "terms", "scope": {"entity": entity, **scope}, "values": list(values)}


def between(entity: str, ge: Any = None, le: Any = None, **scope: str) -> dict[str, Any]:
    return {"type": "range", "scope": {"entity": entity, **scope}, "ge": ge, "le": le}


def by(entity: str, order: str = "asc", **scope: str) -> dict[str, Any]:
    return {"scope": {"entity": entity, **scope}, "order": order}
