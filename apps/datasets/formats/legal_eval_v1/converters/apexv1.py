"""Rows of APEX v1."""

import json
from typing import Any

from .beginning import Inconvertible, Raw, Row, beginning, is_row, stable_hash, text_of


def apexv1(raw: Raw, line: int) -> Row:
    """A task with files attached, graded by a rubric that is an object in a string."""
    prompt = text_of(raw.get("Prompt"))
    named = str(raw.get("Task ID") or stable_hash(prompt or json.dumps(raw, sort_keys=True)))
    criteria = _rubric(raw.get("Rubric JSON"))
    row = beginning(f"apexv1:{named}", "apexv1", "rubric_qa", prompt)
    row["metadata"] = {
        "domain": raw.get("Domain"),
        "source_task_id": raw.get("Task ID"),
        "policy_id": "apexv1_extended_v1",
    }
    path = text_of(raw.get("File Attachments"))
    if path:
        kind = "pdf" if path.lower().endswith(".pdf") else "file"
        row["attachments"] = [{"path": path, "kind": kind}]
    row["rubric"] = [_criterion(key, each) for key, each in criteria.items() if is_row(each)]
    return row


def _rubric(raw: Any) -> Row:
    if not isinstance(raw, str) or not raw.strip():
        return raw if isinstance(raw, dict) else {}
    try:
        rubric = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise Inconvertible(str(error)) from None
    if not isinstance(rubric, dict):
        raise Inconvertible("APEX `Rubric JSON` must be an object.")
    return rubric


def _criterion(key: str, raw: Row) -> Row:
    criterion: Row = {"id": key.strip(), "title": str(raw.get("description") or key).strip()}
    justification = text_of(raw.get("justification"))
    if justification:
        criterion["description"] = justification
    if isinstance(raw.get("weight"), int | float):
        criterion["weight"] = float(raw["weight"])
    return criterion
