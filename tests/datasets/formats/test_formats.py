"""The registry of dataset formats."""

import pytest

from apps.datasets.contracts import RejectedRecord
from apps.datasets.formats import FORMATS, detect
from apps.datasets.uploading.bundles import Bundle
from tests.datasets.contract_v1 import HEADER, document, record

HEADS = [
    ("questions.json", document(record()), "contract_v1"),
    ("questions.txt", document(record()), "contract_v1"),
    ("questions", b"\xef\xbb\xbf\r\n " + document(record()), "contract_v1"),
    ("questions.json", b'{"metadata": {}, "records": [', "contract_v1"),
    ("questions.jsonl", b'{"dataset_id": "a"}\n{"dataset_id": "b"}', None),
    ("questions.json", b'{"questions": []}', None),
    ("questions.json", b"[]", None),
    ("questions.csv", b"dataset_id,records", None),
    ("questions.json", b"", None),
]


@pytest.mark.parametrize(("name", "head", "expected"), HEADS)
def test_a_format_is_detected_by_name_and_beginning(
    name: str, head: bytes, expected: str | None
) -> None:
    found = detect(name, head)

    assert (found.id if found else None) == expected


@pytest.mark.parametrize("format_id", FORMATS)
def test_the_template_of_a_format_is_accepted_by_it(format_id: str) -> None:
    dialect = FORMATS[format_id]

    records = list(dialect.read(Bundle(dialect.template_name, dialect.template)))

    assert detect(dialect.template_name, dialect.template) is dialect
    assert records
    assert not [one for one in records if isinstance(one, RejectedRecord)]


@pytest.mark.parametrize("format_id", FORMATS)
def test_a_format_is_registered_under_its_id_and_says_what_it_is(format_id: str) -> None:
    dialect = FORMATS[format_id]

    assert dialect.id == format_id
    assert len(format_id) <= 20
    assert dialect.title
    assert dialect.media_types
    assert dialect.json_schema()["type"] == "object"


def test_a_header_is_written_without_what_it_does_not_say() -> None:
    dialect = FORMATS["contract_v1"]
    header = dialect.read(Bundle("dataset.json", document(record()))).header

    written = b"".join(dialect.write(header, []))

    assert sorted(HEADER) == sorted(key for key in HEADER if key.encode() in written)
    assert b"created_at" not in written
