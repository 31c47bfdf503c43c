"""How artifacts are laid out, and the hashes that records carry."""

import json
from pathlib import Path

import pytest

from apps.artifacts import lines
from apps.artifacts.canonical import canonical, sha256_hex

from .conftest import RECORD


def test_a_line_is_compact_utf8() -> None:
    assert lines.json_line({"a": "é", "b": [1, None]}) == '{"a":"é","b":[1,null]}\n'.encode()


def test_an_unpaired_surrogate_is_escaped_and_survives() -> None:
    line = lines.json_line({"a": "x\ud800"})

    assert json.loads(line) == {"a": "x\ud800"}


def test_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        lines.json_line({"score": float("nan")})


@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("header", [{}, {"dataset_id": "d", "metadata": {"owner": "Alice"}}])
def test_a_dataset_document_is_valid_json_with_a_record_a_line(
    header: dict[str, object], count: int, tmp_path: Path
) -> None:
    records = [{**RECORD, "record_id": f"q{number}"} for number in range(count)]
    file = tmp_path / "input_dataset.json"

    file.write_bytes(b"".join(lines.dataset_document(header, records)))

    assert json.loads(file.read_bytes()) == {**header, "records": records}
    found = [row for row in lines.rows(file) if "record_id" in row]
    assert found == records


def test_rows_are_found_in_json_lines_and_in_a_document_on_one_line_or_on_many(
    tmp_path: Path,
) -> None:
    rows = [{"record_id": "a"}, {"record_id": "b"}]
    layouts = {
        "rows.jsonl": "\n".join(json.dumps(row) for row in rows),
        "one_line.json": json.dumps({"records": rows}),
        "pretty.json": json.dumps({"records": rows}, indent=4),
    }

    for name, text in layouts.items():
        (tmp_path / name).write_text(text)

        assert list(lines.rows(tmp_path / name)) == rows


def test_an_unchanged_copy_carries_the_hash_of_its_record_alone() -> None:
    accepted = sha256_hex(canonical(RECORD))

    row = lines.with_hashes(RECORD, accepted)

    assert row == {**RECORD, "record_sha256": accepted}
    assert lines.payload_sha256(row) == lines.expected_sha256(row) == accepted


def test_a_redacted_copy_carries_its_own_hash_beside_the_record_s() -> None:
    accepted = sha256_hex(canonical(RECORD))
    copy = {**RECORD, "input": {"prompt": "[REDACTED:email]"}}

    row = lines.with_hashes(copy, accepted)

    assert row["record_sha256"] == accepted
    assert row["copy_sha256"] == sha256_hex(canonical(copy))
    assert lines.payload_sha256(row) == lines.expected_sha256(row) != accepted
