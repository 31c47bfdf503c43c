"""legal_eval_v1: what the original validator said, where that is at hand."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from apps.datasets.contracts import AcceptedRecord, RejectedRecord
from tests.datasets.legal import read

CHECKOUT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
CASES = SHARED / "conformance" / "legal_validate_rows.json"

pytestmark = pytest.mark.skipif(
    not CASES.is_file(), reason=f"{CASES.name} is not here: set EVALHUB_SHARED to the shared folder"
)


def _cases() -> list[Any]:
    return list(json.loads(CASES.read_bytes())) if CASES.is_file() else []


@pytest.mark.parametrize("case", _cases())
def test_each_row_gets_the_errors_and_warnings_of_the_original(case: dict[str, Any]) -> None:
    (record,) = read(json.dumps(case["row"]).encode())

    said = record.issues if isinstance(record, RejectedRecord) else ()
    told = record.warnings if isinstance(record, AcceptedRecord) else ()
    assert [issue.message for issue in said] == case["errors"]
    assert [issue.message for issue in told] == case["warnings"]
