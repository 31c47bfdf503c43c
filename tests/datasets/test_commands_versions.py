"""`evalhub export` and `evalhub diff`."""

import json
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from apps.accounts.models import Workspace
from tests.datasets.documents import a_version, document, record
from tests.datasets.test_commands import run

pytestmark = pytest.mark.django_db


@pytest.fixture
def versions(workspace: Workspace) -> None:
    a_version(workspace, document(record(0), record(1), record(2)))
    changed = record(1, tags=["changed"])
    a_version(workspace, document(record(0), changed, record(3), dataset_version="2"))


def test_an_export_read_again_is_the_same_version(versions: None, tmp_path: Path) -> None:
    file = tmp_path / "qa.json"

    code, output = run("export", "qa@2", "--to", file)

    assert code == 0
    assert f"{file.stat().st_size:,} bytes" in output
    assert run("import", file, "--name", "again")[0] == 0
    assert run("diff", "again", "2", "2")[0] == 0
    assert [each["record_id"] for each in json.loads(file.read_bytes())["records"]] == [
        "q_0000",
        "q_0001",
        "q_0003",
    ]


def test_an_export_writes_over_a_file_only_when_told_to(versions: None, tmp_path: Path) -> None:
    file = tmp_path / "qa.json"
    file.write_text("mine")

    with pytest.raises(CommandError, match="--force"):
        run("export", "qa", "--to", file)

    assert file.read_text() == "mine"
    assert run("export", "qa", "--to", file, "--force")[0] == 0
    assert file.read_bytes().startswith(b"{")


def test_lines_that_need_a_sidecar_are_written_with_it(
    workspace: Workspace, tmp_path: Path
) -> None:
    cases, again = tmp_path / "cases.jsonl", tmp_path / "again.jsonl"
    case = {
        "id": "a",
        "expected_outcome": "x",
        "input_messages": [{"role": "user", "content": "Hi"}],
    }
    cases.write_text(json.dumps(case))
    cases.with_suffix(".yaml").write_text("dataset: cases\nexecution:\n  target: fast\n")
    run("import", cases, "--name", "cases")

    run("export", "cases", "--to", again)

    assert run("import", again, "--name", "cases")[0] == 0
    assert run("diff", "cases", "1", "2")[0] == 0
    with pytest.raises(CommandError, match="--force"):
        run("export", "cases", "--to", again)


def test_a_format_that_there_is_no_way_to_is_refused(versions: None, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="choose one of contract_v1"):
        run("export", "qa", "--format", "sheet", "--to", tmp_path / "qa.xls")

    assert not (tmp_path / "qa.xls").exists()


def test_a_diff_counts_and_lists_what_changed(versions: None) -> None:
    code, output = run("diff", "qa", "1", "2")

    assert code == 1
    assert "1 added, 1 removed, 1 changed, 1 the same." in output
    assert [line.strip() for line in output.splitlines()[1:]] == [
        "~ q_0001",
        "+ q_0003",
        "- q_0002",
    ]


def test_a_diff_as_json_names_every_record(versions: None) -> None:
    _, output = run("diff", "qa", "1", "2", "--json")

    answer = json.loads(output)
    assert answer["counts"] == {"added": 1, "removed": 1, "changed": 1, "same": 1}
    assert (answer["added"], answer["removed"]) == (["q_0003"], ["q_0002"])
    assert answer["changed"] == ["q_0001"]


def test_versions_that_are_not_there_are_refused(versions: None) -> None:
    with pytest.raises(CommandError, match="There is no dataset") as refused:
        run("diff", "qa", "1", "9")

    assert refused.value.returncode == 2
