"""legal_eval_v1: real rows that nobody here wrote, whole and mutated, where they are at hand."""

import json
import os
import random
from collections import Counter
from pathlib import Path

import pytest

from apps.datasets import prompting
from apps.datasets.contracts import AcceptedRecord
from tests.datasets.legal import accepted, outcome, written

CHECKOUT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
REAL = SHARED / "data" / "legal_eval" / "lexam_ace_legal_eval_v1.jsonl"

pytestmark = pytest.mark.skipif(
    not REAL.is_file(), reason=f"{REAL.name} is not here: set EVALHUB_SHARED to the shared folder"
)


def test_every_real_row_is_accepted_and_counted() -> None:
    found = accepted(REAL.read_bytes(), name=REAL.name)

    tasks = Counter(value for one in found for family, value in one.facets if family == "task_type")
    assert len(found) == 761
    assert tasks == {"mcq": 421, "reference_qa": 300, "rubric_qa": 40}


def test_every_real_row_can_be_asked() -> None:
    for one in accepted(REAL.read_bytes()):
        payload = json.loads(one.payload)

        assert payload["row"]["prompt"] in prompting.messages(payload)[-1].content


def test_real_rows_can_be_written_and_read_again() -> None:
    found = accepted(REAL.read_bytes())

    again = written(found)

    assert [json.loads(line) for line in again.splitlines()] == [
        json.loads(line) for line in REAL.read_bytes().splitlines()
    ]
    assert [one.sha256 for one in accepted(again)] == [one.sha256 for one in found]


@pytest.mark.parametrize("seed", range(60))
def test_real_rows_with_bytes_changed_are_answered_not_raised(seed: int) -> None:
    chance = random.Random(seed)
    rows = REAL.read_bytes().splitlines(keepends=True)
    raw = bytearray(b"".join(chance.sample(rows, 6)))
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(raw))
        raw[at : at + chance.randint(0, 3)] = chance.choice(
            [b'"', b"{", b"]", b"\n", b"null", b"\\u0000", b"\\ud800", b"\xff", b"1e999", b"NaN"]
        )

    found = outcome(bytes(raw))

    assert found
    assert all(isinstance(one, str | AcceptedRecord) or one.issues for one in found)
