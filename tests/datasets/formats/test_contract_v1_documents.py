"""Dataset Contract v1: what refuses a whole document, and what a document may look like."""

import json
from typing import Any

import pytest

from apps.datasets.contracts import Rejected
from tests.datasets.contract_v1 import (
    accepted,
    document,
    issues,
    opened,
    raw_document,
    read,
    record,
)

OPEN = b'{"dataset_id": "questions", "dataset_version": "1", "schema_version": "1.0", "records": ['
RECORD = json.dumps(record()).encode()
BROKEN: list[tuple[str, bytes, str]] = [
    ("empty", b"", "The file is empty"),
    ("a BOM only", b"\xef\xbb\xbf", "The file is empty"),
    ("white space only", b" \n\t\r\n ", "The file is empty"),
    ("null bytes", b"\x00" * 100, "The file must be UTF-8; this looks like UTF-16"),
    ("UTF-16", document(record()).decode().encode("utf-16"), "The file must be UTF-8"),
    (
        "UTF-16 without BOM",
        document(record()).decode().encode("utf-16-be"),
        "The file must be UTF-8",
    ),
    ("UTF-32", document(record()).decode().encode("utf-32"), "The file must be UTF-8"),
    (
        "gzip",
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
        "The file must be a JSON document in UTF-8",
    ),
    ("a list", b"[]", "The top level must be a JSON object"),
    ("a number", b"7", "The top level must be a JSON object"),
    ("text", b"dataset_id,prompt", "The top level must be a JSON object"),
    (
        "Latin-1 in a record",
        OPEN + b'{"record_id": "caf\xe9"}]}',
        "The file must be UTF-8: byte 107 is",
    ),
    ("Latin-1 in a key", OPEN + b'{"caf\xe9": 1}]}', "The file must be UTF-8: byte 94 is"),
    ("Latin-1 in the header", b'{"dataset_id": "caf\xe9"}', "The file must be UTF-8: byte 19"),
    (
        "an encoded surrogate",
        OPEN + b'{"record_id": "\xed\xa0\x80"}]}',
        "The file must be UTF-8: byte 104",
    ),
    ("an opening brace", b"{", "Invalid JSON: the document ends too early"),
    ("a key", b'{"dataset_id"', "Invalid JSON: the document ends too early"),
    ("half a key", b'{"data', "Invalid JSON: the document ends too early"),
    ("a colon", b'{"dataset_id":', "Invalid JSON: the document ends too early"),
    ("an open array", OPEN, "Invalid JSON: the document ends too early"),
    ("half a record", OPEN + RECORD[:-1], "Invalid JSON: the document ends too early"),
    ("no end of records", OPEN + RECORD, "Invalid JSON: the document ends too early"),
    ("no end of the document", OPEN + RECORD + b"]", "Invalid JSON: the document ends too early"),
    ("a comma at the end", OPEN + RECORD + b",]}", "Invalid JSON at line 1, column"),
    ("no comma", OPEN + RECORD + RECORD + b"]}", "Invalid JSON at line 1, column"),
    ("two commas", OPEN + RECORD + b",," + RECORD + b"]}", "Invalid JSON at line 1, column"),
    ("a bare word", OPEN + b"nul]}", "Invalid JSON at line 1, column 90: a value is expected."),
    ("single quotes", b"{'dataset_id': 1}", "Invalid JSON at line 1, column 2: a key in double"),
    ("a key of no text", b'{1: "a"}', "Invalid JSON at line 1, column 2: a key in double quotes"),
    ("no colon", b'{"dataset_id" "a"}', "Invalid JSON at line 1, column 15: a colon is expected"),
    (
        "a raw line feed in a text",
        OPEN + b'{"a": "b\nc"}]}',
        "Invalid JSON at line 1, column 98: invalid control character.",
    ),
    ("an unknown escape", OPEN + rb'{"a": "\x41"}]}', "Invalid JSON at line 1, column"),
    ("a leading zero", OPEN + b'{"a": 01}]}', "Invalid JSON at line 1, column"),
    ("NaN", OPEN + b'{"a": NaN}]}', "Invalid JSON: NaN is not a JSON number, in the value that"),
    ("Infinity", OPEN + b'{"a": [-Infinity]}]}', "Invalid JSON: -Infinity is not a JSON number"),
    ("NaN in the header", b'{"metadata": {"a": NaN}}', "Invalid JSON: NaN is not a JSON number"),
    ("more behind", document(record()) + b"{}", "Invalid JSON at line 1, column"),
    (
        "a repeated key at the top",
        document(record())[:-1] + b', "dataset_id": "a"}',
        'Invalid JSON: the key "dataset_id" is repeated in the top level.',
    ),
    (
        "records twice",
        document(record())[:-1] + b', "records": [{}]}',
        'Invalid JSON: the key "records" is repeated in the top level.',
    ),
    (
        "a repeated key in a record",
        OPEN + b'{"record_id": "a", "record_id": "a", "input": {"prompt": "b"}}]}',
        'Invalid JSON: the key "record_id" is repeated in the value that starts at line 1',
    ),
    (
        "a repeated key deep in a record",
        OPEN + RECORD + b',\n\n  {"input": {"prompt": "b", "c": [{"d": 1, "\\u0064": 1}]}}]}',
        'Invalid JSON: the key "d" is repeated in the value that starts at line 3, column 3.',
    ),
    (
        "a repeated key that is not ASCII",
        OPEN + '{"é": 1, "é": 2}]}'.encode(),
        r'Invalid JSON: the key "\u00e9" is repeated',
    ),
    (
        "keys that NFC makes equal",
        OPEN + '{"input": {"é": 1, "e\u0301": 2}}]}'.encode(),
        "Invalid JSON: two keys of one object are the same key in Unicode NFC, in records[0].",
    ),
    (
        "a record of 255 levels",
        OPEN + b'{"a":' + b"[" * 254 + b"]" * 254 + b"}]}",
        "Invalid JSON: records[0] is nested too deep: at most 254 levels are read.",
    ),
    (
        "100,000 levels",
        OPEN + b"[" * 100_000 + b"]" * 100_000 + b"]}",
        "Invalid JSON: the value that starts at line 1, column 90 is nested too deep",
    ),
    (
        "100,000 levels in the header",
        b'{"metadata": ' + b'{"a": ' * 100_000 + b"1" + b"}" * 100_001,
        "Invalid JSON: the value that starts at line 1, column 14 is nested too deep",
    ),
    (
        "300 levels in the header",
        b'{"metadata": ' + b'{"a": ' * 300 + b"1" + b"}" * 301,
        "Invalid JSON: metadata is nested too deep",
    ),
]


@pytest.mark.parametrize(
    ("raw", "message"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN]
)
def test_what_is_no_json_in_utf_8_refuses_the_document(raw: bytes, message: str) -> None:
    with pytest.raises(Rejected) as refused:
        read(raw)

    assert refused.value.message.startswith(message)
    assert (refused.value.code, refused.value.status) == ("invalid_request", 400)


def test_a_broken_record_is_refused_wherever_it_stands() -> None:
    lines = [json.dumps(record(f"q{n}")) for n in range(50)]
    lines[40] = lines[40].replace(":", "", 1)

    with pytest.raises(Rejected, match="Invalid JSON at line 41, column 14: expecting ':'"):
        read(OPEN + ",\n".join(lines).encode() + b"]}")


def test_a_repeated_key_is_found_among_many_alike_records() -> None:
    lines = [json.dumps(record(f"q{n}", tags=["ml"])) for n in range(50)]
    lines[40] = lines[40].replace('"tags"', '"tags": [], "tags"')

    with pytest.raises(Rejected, match='the key "tags" is repeated in the value that starts at'):
        read(OPEN + ",\n".join(lines).encode() + b"]}")


def test_a_repeated_key_does_not_hide_behind_escaped_quotes() -> None:
    lines = [json.dumps(record(f"q{n}")) for n in range(50)]
    quotes = r"\u0022\u0022\u0022\u0022"
    lines[40] = f'{{"record_id": "a", "record_id": "b", "input": {{"prompt": "{quotes}"}}}}'

    with pytest.raises(Rejected, match='the key "record_id" is repeated'):
        read(OPEN + ",\n".join(lines).encode() + b"]}")


def test_50_000_records_are_not_too_many() -> None:
    value = b'{"record_id":"%d","input":{"prompt":"a"}}'

    found = read(OPEN + b",".join(value % n for n in range(50_000)) + b"]}")

    assert (len(found), found[-1].record_id) == (50_000, "49999")


def test_more_than_50_000_records_refuse_the_document() -> None:
    with pytest.raises(Rejected, match=r"records must have at most 50,000 items\."):
        read(OPEN + b"{}," * 50_000 + b"{}]}")


def test_a_document_of_more_than_100_mb_is_too_large() -> None:
    with pytest.raises(Rejected) as refused:
        opened(b" " * (100 * 1024 * 1024 + 1))

    assert (refused.value.code, refused.value.status) == ("payload_too_large", 413)
    assert "104,857,600" in refused.value.message


@pytest.mark.parametrize("raw_type", [bytes, bytearray])
def test_any_bytes_can_be_read(raw_type: type) -> None:
    assert len(read(raw_type(document(record())))) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: b"\xef\xbb\xbf" + raw,
        lambda raw: raw.replace(b" ", b""),
        lambda raw: raw.replace(b", ", b" ,\r\n\t"),
        lambda raw: b"\r\n " + raw.replace(b"[", b" [ ").replace(b"}", b" } ") + b" \r\n",
        lambda raw: json.dumps(json.loads(raw), indent=2).encode(),
        lambda raw: json.dumps(json.loads(raw), sort_keys=True).encode(),
        lambda raw: raw.replace(b"q", b"\\u0071"),
    ],
    ids=["BOM", "no spaces", "CRLF", "spaces", "indented", "records first", "escaped"],
)
def test_how_a_document_is_spelled_changes_no_hash(change: Any) -> None:
    raw = document(
        *[record(f"q{n}", tags=["ml"], metadata={"b": n, "a": 0.5}) for n in range(5)],
        metadata={"owner": "Alice"},
    )

    found = accepted(change(raw))

    assert [(one.sha256, one.input_sha256) for one in found] == [
        (one.sha256, one.input_sha256) for one in accepted(raw)
    ]


def test_a_record_larger_than_a_window_fails_alone() -> None:
    giant = record("giant", "x" * (9 * 1024 * 1024))
    raw = document(record("before"), giant, record("after"))

    found = read(raw)

    assert [one.record_id for one in found] == ["before", "giant", "after"]
    assert [issue.code for issue in issues(raw)] == ["record_too_large"]
    assert [one.record_id for one in accepted(raw)] == ["before", "after"]


def test_a_broken_text_in_a_record_larger_than_a_window_refuses_the_document() -> None:
    size = 9 * 1024 * 1024
    giant = b'{"record_id": "' + b"x" * size + b'\xff"}'

    with pytest.raises(
        Rejected, match=rf"The file must be UTF-8: byte {len(OPEN + RECORD) + 16 + size:,} is"
    ):
        read(OPEN + RECORD + b"," + giant + b"]}")


def test_records_that_straddle_windows_are_all_read() -> None:
    values = [record(f"q{n}", f"{n} " + "é" * 60_000) for n in range(200)]

    found = accepted(raw_document(*[json.dumps(value, ensure_ascii=False) for value in values]))

    assert [json.loads(one.payload) for one in found] == values
