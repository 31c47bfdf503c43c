"""Writing rows as they were read, and the template that people start from."""

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from apps.artifacts.canonical import canonical
from apps.datasets.contracts import Unfit
from apps.datasets.formats.lines import loads

_TEMPLATE: tuple[dict[str, Any], ...] = (
    {
        "schema_version": "legal_eval_v1",
        "id": "lease-deposit-letter",
        "dataset": "tenancy",
        "task_type": "rubric_qa",
        "prompt": "Draft a short letter that asks the landlord for the deposit back.",
        "context": "The lease ended on 31 March. The flat was handed over without defects.",
        "rubric": [
            {"id": "names-date", "title": "Names the day on which the lease ended", "weight": 2},
            {
                "id": "sets-deadline",
                "title": "Sets a deadline",
                "description": "A day, or a number of days, by which the money is to be paid.",
                "weight": 3,
            },
            {"id": "threatens", "title": "Threatens with criminal charges", "weight": -4},
        ],
        "metadata": {"policy_id": "default_v1", "area": "tenancy", "language": "en"},
    },
    {
        "schema_version": "legal_eval_v1",
        "id": "notice-period",
        "dataset": "tenancy",
        "task_type": "reference_qa",
        "prompt": "What must a notice to leave state so that it is valid?",
        "reference_answers": ["The reason, the day on which the tenant has to leave, a signature."],
        "metadata": {"area": "tenancy", "language": "en"},
    },
    {
        "schema_version": "legal_eval_v1",
        "id": "who-repairs-the-boiler",
        "dataset": "tenancy",
        "task_type": "mcq",
        "prompt": "A lease says nothing of repairs. Who has to repair the boiler?",
        "choices": [
            {"id": "A", "text": "The tenant"},
            {"id": "B", "text": "The landlord"},
            {"id": "C", "text": "Each of them pays half"},
        ],
        "correct_choice_ids": ["B"],
        "metadata": {"area": "tenancy", "language": "en"},
    },
)
TEMPLATE = b"".join(orjson.dumps(row) + b"\n" for row in _TEMPLATE)


def write(payloads: Iterable[bytes]) -> Iterator[bytes]:
    """One line a record: the row as it was read; raises Unfit for records of other formats."""
    for payload in payloads:
        yield spelled(_row_of(loads(payload))) + b"\n"


def _row_of(payload: dict[str, Any]) -> dict[str, Any]:
    if payload.get("kind") != "legal" or "row" not in payload:
        raise Unfit(
            f"Record {payload.get('record_id')} is none of legal_eval_v1: it does not say by "
            "rubric, reference answers or choices how its answer is graded."
        )
    row: dict[str, Any] = payload["row"]
    return row


def spelled(row: dict[str, Any]) -> bytes:
    """In the order of its keys; sorted where there are integers of over 64 bits in it."""
    try:
        return orjson.dumps(row)
    except TypeError:
        return canonical(row)
