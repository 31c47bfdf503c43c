"""Dataset Contract v1: the published JSON Schema says what the reader does."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from apps.datasets.contracts import Rejected
from tests.datasets.contract_v1 import FORMAT, HEADER, document, read, record, rejected
from tests.datasets.formats.test_contract_v1 import LIMITS
from tests.datasets.formats.test_contract_v1_fields import FIELDS

# What JSON Schema has no words for: sizes in bytes and depth.
BEYOND_A_SCHEMA = {"metadata over 8 KB", "metadata of six levels", "a record over 256 KB"}
SCHEMA = Draft202012Validator(FORMAT.json_schema())


def test_the_schema_is_one_of_draft_2020_12() -> None:
    schema = FORMAT.json_schema()

    Draft202012Validator.check_schema(schema)

    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("value", [row[1] for row in LIMITS])
def test_what_the_reader_accepts_the_schema_accepts(value: dict[str, Any]) -> None:
    raw = document(value, created_at="2026-01-15T10:05:12Z", metadata={"owner": "Alice"})

    assert not rejected(raw)
    assert SCHEMA.is_valid(json.loads(raw))


@pytest.mark.parametrize("value", [row[1] for row in FIELDS if row[0] not in BEYOND_A_SCHEMA])
def test_what_the_reader_rejects_the_schema_rejects(value: Any) -> None:
    raw = document(record("first"), value)

    assert rejected(raw)
    assert not SCHEMA.is_valid(json.loads(raw))


@pytest.mark.parametrize(
    "change",
    [
        {"dataset_id": None},
        {"dataset_id": ""},
        {"dataset_id": "my set"},
        {"dataset_version": "x" * 65},
        {"schema_version": "2.0"},
        {"created_at": "2026-01-15T10:05:12+01:00"},
        {"created_at": None},
        {"metadata": None},
        {"records": []},
        {"records": None},
        {"owner": "Alice"},
    ],
)
def test_a_header_that_the_reader_refuses_the_schema_rejects(change: dict[str, Any]) -> None:
    value = {**HEADER, "records": [record()], **change}

    with pytest.raises(Rejected):
        read(json.dumps(value).encode())

    assert not SCHEMA.is_valid(value)
