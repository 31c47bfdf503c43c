"""Dataset Contract v1: what a header must say, and when it is looked at."""

import json
from typing import Any

import pytest

from apps.datasets.contracts import Rejected
from tests.datasets.contract_v1 import HEADER, accepted, document, opened, read, record

OPEN = b'{"dataset_id": "questions", "dataset_version": "1", "schema_version": "1.0", "records": ['
RECORD = json.dumps(record()).encode()


def without(field: str) -> bytes:
    fields = {**HEADER, "records": [record()]}
    del fields[field]
    return json.dumps(fields).encode()


HEADERS: list[tuple[str, bytes, str]] = [
    ("no dataset_id", without("dataset_id"), "dataset_id is required."),
    ("no dataset_version", without("dataset_version"), "dataset_version is required."),
    ("no schema_version", without("schema_version"), "schema_version is required."),
    ("no records", without("records"), "records is required."),
    (
        "nothing at all",
        b"{}",
        "dataset_id is required; dataset_version is required; schema_version is required; "
        "records is required.",
    ),
    ("a number", document(record(), dataset_id=5), "dataset_id must be a string."),
    ("null", document(record(), dataset_version=None), "dataset_version must be a string."),
    (
        "an empty id",
        document(record(), dataset_id=""),
        "dataset_id must be at least 1 character long.",
    ),
    (
        "a long id",
        document(record(), dataset_id="x" * 129),
        "dataset_id must be at most 128 characters long, not 129.",
    ),
    (
        "a long version",
        document(record(), dataset_version="x" * 65),
        "dataset_version must be at most 64 characters long, not 65.",
    ),
    (
        "spaces in the id",
        document(record(), dataset_id="my set"),
        "dataset_id must have no characters but A-Z, a-z, 0-9, _, - and ..",
    ),
    (
        "a line feed behind the id",
        document(record(), dataset_id="set\n"),
        "dataset_id must have no characters but A-Z, a-z, 0-9, _, - and ..",
    ),
    (
        "another schema",
        document(record(), schema_version="1.1"),
        'schema_version must be the string "1.0".',
    ),
    (
        "a number for the schema",
        document(record(), schema_version=1.0),
        'schema_version must be the string "1.0".',
    ),
    ("null for records", json.dumps({**HEADER, "records": None}).encode(), "records must be an"),
    ("an object of records", json.dumps({**HEADER, "records": {}}).encode(), "records must be an"),
    ("an empty array", document(), "records must have at least 1 item."),
    ("an unknown field", document(record(), owner="Alice"), "owner is not a field of this format."),
    (
        "an unknown field in front",
        b'{"owner": 1, ' + document(record())[1:],
        "owner is not a field of this format.",
    ),
    ("null metadata", document(record(), metadata=None), "metadata must be an object."),
    ("a list of metadata", document(record(), metadata=[]), "metadata must be an object."),
    (
        "much metadata",
        document(record(), metadata={"note": "x" * 16_374}),
        "metadata must be at most 16,384 bytes as compact JSON, not 16,385.",
    ),
    (
        "deep metadata",
        document(record(), metadata={"a": {"b": {"c": {"d": {"e": {}}}}}}),
        "metadata must be at most 5 levels deep.",
    ),
    (
        "a control character",
        document(record(), dataset_version="1\u0007"),
        "dataset_version must not contain the control character U+0007.",
    ),
    (
        "an unpaired surrogate",
        document(record(), metadata={"owner": "\ud800"}),
        "metadata.owner must not contain the unpaired surrogate U+D800.",
    ),
    (
        "an infinite number",
        document(record(), metadata={"n": 1}).replace(b'{"n": 1}', b'{"n": 1e999}'),
        "metadata.n is too large a number: 1.8e308 is the limit.",
    ),
]


@pytest.mark.parametrize(
    ("raw", "message"), [row[1:] for row in HEADERS], ids=[row[0] for row in HEADERS]
)
def test_a_wrong_header_refuses_the_document(raw: bytes, message: str) -> None:
    with pytest.raises(Rejected) as refused:
        read(raw)

    assert refused.value.message.startswith(message)
    assert (refused.value.code, refused.value.status) == ("invalid_request", 400)


def test_every_problem_of_a_header_is_in_the_details() -> None:
    with pytest.raises(Rejected) as refused:
        read(document(record(), dataset_id="", dataset_version=None))

    assert refused.value.details == {
        "errors": [
            {
                "code": "value_out_of_range",
                "message": "dataset_id must be at least 1 character long",
                "path": "dataset_id",
            },
            {
                "code": "invalid_field_type",
                "message": "dataset_version must be a string",
                "path": "dataset_version",
            },
        ]
    }


def test_a_wrong_header_is_refused_before_any_record_is_read() -> None:
    raw = OPEN + RECORD + b'], "metadata": 5}'

    with pytest.raises(Rejected, match="metadata must be an object"):
        opened(raw)


@pytest.mark.parametrize("field", ["metadata", "created_at"])
def test_a_list_behind_the_records_does_not_pass_for_them(field: str) -> None:
    raw = OPEN + RECORD + b'], "%b": []}' % field.encode()

    with pytest.raises(Rejected, match=f"^{field} must be"):
        read(raw)


TIMES = [
    ("2026-01-15T10:05:12Z", True),
    ("2026-01-15T10:05:12+00:00", True),
    ("2026-01-15T10:05:12.123456789Z", True),
    ("2026-01-15T10:05Z", True),
    ("2024-02-29T00:00:00Z", True),
    ("2026-01-15T10:05:12", False),
    ("2026-01-15T10:05:12+01:00", False),
    ("2026-01-15T10:05:12-00:00", False),
    ("2026-01-15 10:05:12Z", False),
    ("2026-01-15", False),
    ("2026-02-29T00:00:00Z", False),
    ("2026-13-01T00:00:00Z", False),
    ("2026-01-15T25:00:00Z", False),
    ("2026-01-15T10:05:12Z\n", False),
    ("٢٠٢٦-01-15T10:05:12Z", False),
    ("yesterday", False),
    ("", False),
    (1_768_471_512, False),
    (None, False),
]


@pytest.mark.parametrize(("created_at", "fine"), TIMES)
def test_created_at_is_a_time_in_utc(created_at: Any, fine: bool) -> None:
    raw = document(record(), created_at=created_at)

    if fine:
        assert opened(raw).header.created_at == created_at
        return
    with pytest.raises(Rejected, match=r"^created_at "):
        opened(raw)


def test_the_header_may_stand_behind_the_records() -> None:
    fields = {"records": [record("q1"), record("q2")], "metadata": {"task_type": "qa"}, **HEADER}
    raw = json.dumps(fields).encode()

    found = opened(raw)

    assert found.header.dataset_id == "questions"
    assert [("task_type", "qa") in one.facets for one in accepted(raw)] == [True, True]
