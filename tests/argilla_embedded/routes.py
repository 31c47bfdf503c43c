"""Every route of the stock server, and what one may try there about another's answer."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from tests.desk import PYTHON

LISTING = """
import json
from argilla_server.api.routes import api_v1
kinds = [(r.name, m, "/api/v1" + r.path) for r in api_v1.routes for m in sorted(r.methods)]
print(json.dumps(kinds))
"""
TEXT = {"type": "text", "use_markdown": False}
NAMED = {"name": "more", "title": "More"}
HUB = {"name": "a/b", "subset": "default", "split": "train"}
HOOK = {"url": "https://example.org/hook", "events": ["response.created"]}
ANYBODYS = {"include": "responses,suggestions,vectors"}


class Route(NamedTuple):
    name: str
    method: str
    path: str


def stock_routes(home: Path) -> list[Route]:
    """Those that the server has before ours stand in front of them."""
    asked = subprocess.run(
        [PYTHON, "-c", LISTING],
        env={**os.environ, "ARGILLA_HOME_PATH": str(home), "ARGILLA_DOCS_ENABLED": "0"},
        capture_output=True,
        check=True,
    )
    return [Route(*each) for each in json.loads(asked.stdout.splitlines()[-1])]


def body_of(name: str, ids: dict[str, str]) -> Any:
    """What the route would take from an owner: a refusal of it is about the person."""
    record = {"fields": {"query": "Changed"}}
    answer = {"values": {"label": {"value": "good"}}, "status": "submitted"}
    account = {"first_name": "M", "username": "mallory", "password": "correct horse"}
    suggestion = {"question_id": ids["question_id"], "value": "changed by an annotator"}
    mapping = {"fields": [{"source": "a", "target": "query"}]}
    bodies: dict[str, Any] = {
        "create_dataset": {"name": "more", "workspace_id": ids["workspace_id"]},
        "create_dataset_field": {**NAMED, "settings": TEXT},
        "create_dataset_metadata_property": {**NAMED, "settings": {"type": "integer"}},
        "create_dataset_vector_settings": {**NAMED, "dimensions": 2},
        "create_dataset_question": {**NAMED, "settings": TEXT},
        "update_dataset": {"guidelines": "Say good."},
        "import_dataset_from_hub": {**HUB, "mapping": mapping},
        "export_dataset_to_hub": {**HUB, "token": "hf"},
        "create_dataset_records_bulk": {"items": [record]},
        "upsert_dataset_records_bulk": {"items": [{"id": ids["record_id"], **record}]},
        "update_field": {"title": "Changed"},
        "update_question": {"title": "Changed"},
        "update_metadata_property": {"visible_for_annotators": True},
        "update_vector_settings": {"title": "Changed"},
        "update_record": {"metadata": {"source": "wiki"}},
        "upsert_suggestion": suggestion,
        "create_record_response": answer,
        "update_response": answer,
        "create_current_user_responses_bulk": {"items": [{"record_id": ids["other_id"], **answer}]},
        "create_user": {**account, "role": "owner"},
        "update_user": {"role": "owner", "password": "correct horse"},
        "create_workspace": {"name": "more"},
        "create_workspace_user": {"user_id": ids["me"]},
        "create_webhook": HOOK,
        "update_webhook": {"enabled": False},
    }
    return bodies.get(name, {})


def query_of(name: str, ids: dict[str, str]) -> dict[str, str]:
    queries = {
        "delete_dataset_records": {"ids": ids["record_id"]},
        "delete_record_suggestions": {"ids": ids["suggestion_id"]},
        "search_current_user_dataset_records": ANYBODYS,
        "search_dataset_records": ANYBODYS,
        "list_dataset_records": ANYBODYS,
    }
    return queries.get(name, {})


def nobodys() -> str:
    return str(uuid4())
