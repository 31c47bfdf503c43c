"""Runs over legal_eval_v1: the rows, what the model server answers to them, and the judges."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from apps.accounts.models import Workspace
from apps.datasets import prompting
from apps.datasets.models import DatasetVersion
from apps.datasets.uploading import uploads
from tests.datasets.legal import MCQ, REFERENCE, RUBRIC, lines, row

Row = Mapping[str, Any]

LEGAL_RULES = (
    {"type": "multiple_choice", "name": "multiple_choice"},
    {"type": "reference_judge", "name": "reference", "when_missing": "skip"},
    {"type": "rubric_judge", "name": "rubric", "when_missing": "skip"},
)
WEIGHED = [
    {"id": "date", "title": "Names the date", "weight": 8},
    {"id": "law", "title": "Invents a law", "weight": -5},
]
ROWS = (
    row(MCQ, id="choice", prompt="Is it valid?"),
    row(REFERENCE, id="open", prompt="How is notice given?"),
    row({**RUBRIC, "rubric": WEIGHED}, id="task", prompt="Draft a notice."),
)


def legal_version(
    workspace: Workspace, raw: bytes = lines(*ROWS), name: str = "legal.jsonl"
) -> DatasetVersion:
    upload = uploads.accept_document(workspace=workspace, chunks=[raw], filename=name, by=None)
    assert upload.version is not None, upload.outcome
    return upload.version


def answers_to(version: DatasetVersion, say: Callable[[Row], str]) -> dict[str, str]:
    """What the model server shall say, by the prompt that each record becomes."""
    payloads = map(orjson.loads, version.records.values_list("payload", flat=True))
    return {
        prompting.messages(payload)[-1].content.strip(): say(payload["row"]) for payload in payloads
    }


def chosen(choice_id: str) -> str:
    return json.dumps({"answer": choice_id, "reasoning": "By the statute."})
