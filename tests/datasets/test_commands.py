"""`evalhub validate` and `evalhub import`."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.accounts.models import AuditEvent, User, Workspace
from apps.datasets.models import Dataset, DatasetVersion, Upload
from apps.datasets.uploading.reading import MAX_BYTES
from tests.datasets.documents import bad_record, document, record


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "qa.json"


def run(*words: object) -> tuple[int, str]:
    """Exit code and output of a command."""
    out = io.StringIO()
    try:
        call_command(*map(str, words), stdout=out, stderr=io.StringIO())
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue()
    return 0, out.getvalue()


def as_json(*words: object) -> tuple[int, Any]:
    code, output = run(*words, "--json")
    return code, json.loads(output)


# -- validate: without any database ---------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "code", "status", "words"),
    [
        (document(), 0, 201, "3 of 3 records accepted, 0 rejected."),
        (document(record(0), bad_record(1)), 1, 202, "1 of 2 records accepted, 1 rejected."),
        (document(bad_record(1)), 2, 400, "All records failed validation"),
        (b"{", 2, 400, "Invalid JSON"),
        (b"", 2, 400, "The file is empty"),
    ],
    ids=["clean", "record errors", "all bad", "no JSON", "empty"],
)
def test_validate_answers_what_the_api_would(
    file: Path, content: bytes, code: int, status: int, words: str
) -> None:
    file.write_bytes(content)

    told = run("validate", file)
    answered = as_json("validate", file)

    assert told[0] == answered[0] == code
    assert words in told[1]
    assert answered[1]["http_status"] == status
    assert answered[1]["request_id"]


def test_validate_lists_the_contracts_fields(file: Path) -> None:
    file.write_bytes(document(record(0), bad_record(1)))

    _, answer = as_json("validate", file)

    assert list(answer) == [
        "dataset_version_id",
        "status",
        "summary",
        "record_errors",
        "warnings",
        "request_id",
        "http_status",
    ]
    assert answer["record_errors"] == [
        {
            "index": 1,
            "record_id": "q_0001",
            "code": "invalid_field_type",
            "message": "input.prompt must be a string",
            "path": "records[1].input.prompt",
            "severity": "error",
        }
    ]


def test_validate_tells_the_first_errors_and_where_the_rest_is(file: Path) -> None:
    file.write_bytes(document(record(0), *[bad_record(number) for number in range(1, 31)]))

    _, output = run("validate", file)

    assert output.count("invalid_field_type") == 10
    assert "… and 20 more: --json lists them." in output


def test_validate_writes_nothing_that_moves_the_cursor(file: Path) -> None:
    file.write_bytes(document(record(0), {"\x1b[2J": 1}))

    _, output = run("validate", file)

    assert "\x1b" not in output


def test_validate_refuses_what_is_too_large(file: Path) -> None:
    with file.open("wb") as sparse:
        sparse.truncate(MAX_BYTES + 1)

    code, answer = as_json("validate", file)

    assert (code, answer["http_status"]) == (2, 413)
    assert answer["error"]["message"] == "dataset upload exceeds 100MB"


def test_validate_takes_a_format(file: Path) -> None:
    named = file.with_suffix(".data")
    named.write_bytes(document())

    assert run("validate", named, "--format", "contract_v1")[0] == 0


def test_a_missing_file_is_one_sentence(file: Path) -> None:
    with pytest.raises(CommandError, match="No such file") as refused:
        run("validate", file)

    assert refused.value.returncode == 2


# -- import ---------------------------------------------------------------------------------


def test_import_makes_a_version(file: Path, workspace: Workspace, alice: User) -> None:
    file.write_bytes(document(record(0), bad_record(1)))

    code, answer = as_json("import", file, "--user", "alice", "--name", "Support")

    version = DatasetVersion.objects.get()
    assert (code, answer["http_status"], answer["dataset_version_id"]) == (0, 202, version.pk)
    assert (answer["dataset_name"], answer["created"]) == ("Support", True)
    assert version.created_by == alice
    assert AuditEvent.objects.get().via == "command"


def test_import_of_the_same_bytes_says_so(file: Path, workspace: Workspace) -> None:
    file.write_bytes(document())
    run("import", file)

    code, output = run("import", file)

    assert code == 0
    assert "these bytes were here already" in output
    assert Upload.objects.count() == 2
    assert f"/w/demo/datasets/uploads/{Upload.objects.order_by('pk').last().pk}/report/" in output  # type: ignore[union-attr]


def test_import_of_a_conflict_exits_2(file: Path, workspace: Workspace) -> None:
    file.write_bytes(document())
    run("import", file)
    file.write_bytes(document(record(9)))

    code, answer = as_json("import", file)

    assert (code, answer["http_status"]) == (2, 409)
    assert answer["error"]["details"]["dataset_id"] == "qa"


def test_import_of_too_much_keeps_nothing(file: Path, workspace: Workspace) -> None:
    with file.open("wb") as sparse:
        sparse.truncate(MAX_BYTES + 1)

    code, answer = as_json("import", file)

    assert (code, answer["error"]["code"]) == (2, "payload_too_large")
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--workspace", "nowhere"], "no workspace “nowhere”"),
        (["--user", "nobody"], "no active user “nobody”"),
        (["--name", "x" * 129], "1 to 128 characters"),
    ],
)
def test_import_says_what_it_cannot_do(
    file: Path, workspace: Workspace, words: list[str], sentence: str
) -> None:
    file.write_bytes(document())

    with pytest.raises(CommandError, match=sentence):
        run("import", file, *words)

    assert not Dataset.objects.exists()
