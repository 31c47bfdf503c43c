"""Dataset Contract v1: real questions that nobody here wrote, where they are at hand."""

import mmap
import os
from pathlib import Path

import pytest

from apps.datasets.contracts import AcceptedRecord
from tests.datasets.contract_v1 import FORMAT, accepted, opened, read

CHECKOUT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
REAL = SHARED / "data" / "dataset_contract" / "expertqa_contract_v1.json"

pytestmark = pytest.mark.skipif(
    not REAL.is_file(), reason=f"{REAL.name} is not here: set EVALHUB_SHARED to the shared folder"
)


def test_every_real_record_is_accepted() -> None:
    found = opened(REAL.read_bytes())

    records = list(found)

    assert len(records) == 1_734
    assert all(isinstance(record, AcceptedRecord) for record in records)
    assert found.warnings == []


def test_a_mapped_file_reads_like_its_bytes() -> None:
    with (
        REAL.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
    ):
        records = list(opened(mapped))

    assert records == read(REAL.read_bytes())


def test_real_records_can_be_written_and_read_again() -> None:
    raw = REAL.read_bytes()
    kept = accepted(raw)

    written = b"".join(FORMAT.write(opened(raw).header, [one.payload for one in kept]))

    assert [one.sha256 for one in accepted(written)] == [one.sha256 for one in kept]
