"""Files that cases refer to, instructions, and variables of the workspace."""

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from apps.datasets.uploading.bundles import Folder
from tests.datasets.agentv import (
    accepted,
    case,
    issues,
    lines,
    opened,
    resolved,
    told,
    warnings,
)

NAME = "evals/deep/dataset.jsonl"
FILES = {
    "evals/deep/dataset.yaml": b"dataset: d\n",
    "evals/deep/here.txt": b"here",
    "evals/shared.txt": b"one up",
    "root.txt": b"at the top",
    "evals/deep/x.instructions.md": b"Say please.\r\n",
    "evals/instructions/tone.md": b"Be short.",
    "evals/deep/image.png": b"\x89PNG\xff",
    "evals/deep/large.txt": b"x" * 1_100_000,
    "evals/deep/judge.md": b"Judge it.",
}


def with_file(reference: str, **fields: Any) -> bytes:
    parts = [{"type": "text", "value": "Read:"}, {"type": "file", "value": reference}]
    return lines(case(input=[{"role": "user", "content": parts}], **fields))


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ("here.txt", "evals/deep/here.txt"),
        ("./here.txt", "evals/deep/here.txt"),
        ("file://here.txt", "evals/deep/here.txt"),
        ("/here.txt", "evals/deep/here.txt"),
        ("shared.txt", "evals/shared.txt"),
        ("../shared.txt", "evals/shared.txt"),
        ("root.txt", "root.txt"),
        ("../../root.txt", "root.txt"),
    ],
)
def test_a_file_is_found_beside_the_dataset_or_in_a_folder_above(reference: str, path: str) -> None:
    text = FILES[path].decode()

    found = resolved(with_file(reference), NAME, FILES)

    assert found["messages"][0]["content"] == f'Read:\n<file path="{path}">\n{text}\n</file>'
    assert found["files"] == [
        {
            "path": path,
            "reference": reference,
            "sha256": hashlib.sha256(FILES[path]).hexdigest(),
            "text": text,
            "instruction": False,
            "use": "input",
        }
    ]


def test_a_file_that_is_not_there_is_a_warning_with_the_paths_tried() -> None:
    raw = with_file("./nope.txt")

    (record,) = accepted(raw, NAME, FILES)

    assert record.warnings[0].message == "File not found: ./nope.txt"
    assert record.warnings[0].hint == (
        "Tried: evals/deep/nope.txt, evals/nope.txt, nope.txt. Upload the file beside the dataset."
    )
    assert resolved(raw, NAME, FILES)["messages"] == [{"role": "user", "content": "Read:"}]


@pytest.mark.parametrize(
    "reference",
    [
        "/etc/passwd",
        "../../../etc/passwd",
        "../../../../../../etc/passwd",
        "file:///etc/passwd",
        "..\\..\\..\\..\\etc\\passwd",
        "link.txt",
        "away/passwd",
        "evals/deep/here.txt\0.md",
        ".env",
    ],
)
def test_nothing_outside_the_upload_is_ever_read(reference: str, tmp_path: Path) -> None:
    inside = tmp_path / "evals" / "deep"
    inside.mkdir(parents=True)
    (tmp_path / ".env").write_text("SECRET=1")
    (inside / "link.txt").symlink_to("/etc/passwd")
    (inside / "away").symlink_to("/etc")

    found = resolved(with_file(reference), NAME, Folder(tmp_path))

    assert found["files"] == []
    assert warnings(with_file(reference), NAME, Folder(tmp_path))[0].startswith("File not found: ")


def test_instructions_are_marked_and_stand_before_the_prompt() -> None:
    found = resolved(with_file("x.instructions.md"), NAME, FILES)

    assert found["files"][0]["instruction"] is True
    assert [each["role"] for each in found["messages"]] == ["system", "user"]
    assert "Say please." in found["messages"][0]["content"]
    assert found["messages"][1]["content"] == "Read:"


def test_instructions_join_the_message_of_the_system() -> None:
    parts = [{"type": "file", "value": "../instructions/tone.md"}, {"type": "text", "value": "Hi"}]
    row = case(input=[{"role": "system", "content": "S"}, {"role": "user", "content": parts}])

    found = resolved(lines(row), NAME, FILES)

    assert len(found["messages"]) == 2
    assert "Be short." in found["messages"][0]["content"]
    assert found["messages"][0]["content"].endswith("\n\nS")


@pytest.mark.parametrize(
    "files",
    [
        {"evals/deep/dataset.yaml": b"guideline_patterns: ['**/here.*']\n"},
        {".agentv/config.yaml": b"guideline_patterns: ['**/here.*']\n"},
    ],
)
def test_a_suite_may_name_its_own_patterns(files: dict[str, bytes]) -> None:
    own = {**FILES, **files}

    assert resolved(with_file("here.txt"), NAME, own)["files"][0]["instruction"] is True
    if "evals/deep/dataset.yaml" in files:
        found = resolved(with_file("x.instructions.md"), NAME, own)
        assert found["files"][0]["instruction"] is False


def test_a_file_that_is_no_text_is_left_out_with_a_warning() -> None:
    assert warnings(with_file("image.png"), NAME, FILES) == [
        "evals/deep/image.png is not UTF-8 text: it was left out."
    ]


def test_a_file_larger_than_a_record_is_a_mistake() -> None:
    (issue,) = issues(with_file("large.txt"), NAME, FILES)

    assert issue.code == "record_too_large"
    assert issue.message == "File large.txt is larger than a record may be."


def test_files_of_the_expected_answer_are_in_the_reference() -> None:
    parts = [{"type": "file", "value": "here.txt"}, {"type": "file", "value": "shared.txt"}]
    row = case(expected_output=[{"role": "assistant", "content": parts}])

    found = resolved(lines(row), NAME, FILES)

    assert found["reference_answer"] == "here\n\none up"
    assert [each["use"] for each in found["files"]] == ["expected", "expected"]


def test_the_prompt_of_a_judge_is_kept_with_the_case() -> None:
    row = case(evaluators=[{"type": "llm_judge", "prompt": "judge.md"}])

    found = resolved(lines(row), NAME, FILES)

    assert found["assertions"][0]["prompt_path"] == "evals/deep/judge.md"
    assert (found["files"][0]["text"], found["files"][0]["use"]) == ("Judge it.", "grader")


# -- variables ------------------------------------------------------------------------------


def test_a_variable_is_what_the_workspace_says() -> None:
    row = case(input="Ask ${{ SHOP }} and ${{SHOP}}.", execution={"target": "${{ TARGET }}"})
    known = {"SHOP": "the lamp shop", "TARGET": "gpt"}

    found = resolved(lines(row), NAME, FILES, variables=known)

    assert found["question"] == "Ask the lamp shop and the lamp shop."
    assert found["execution"]["target"] == "gpt"


def test_the_row_keeps_the_reference_and_not_its_value() -> None:
    (record,) = accepted(lines(case(input="${{ X }}")), NAME, FILES, variables={"X": "value"})

    assert b'"input":"${{ X }}"' in record.payload


def test_an_unknown_variable_is_empty_and_a_warning_says_where_they_are_defined() -> None:
    (record,) = accepted(lines(case(input="Ask ${{ SHOP }}.")), NAME, FILES)

    assert record.head == "Ask ."
    assert record.warnings[0].message == "The variable SHOP is not defined: it was left empty."
    assert "the page Variables of the workspace" in record.warnings[0].hint


def test_the_servers_environment_is_never_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTV_TEST_SECRET", "from the server")
    row = case(input="${{ AGENTV_TEST_SECRET }}${{ PATH }}x")

    assert os.environ["AGENTV_TEST_SECRET"]
    assert resolved(lines(row), NAME, FILES)["question"] == "x"


def test_a_sidecar_may_use_variables_too() -> None:
    files = {"evals/deep/dataset.yaml": b"name: ${{ N }}\nexecution: {target: '${{ T }}'}\n"}

    document = opened(lines(case()), NAME, files, variables={"N": "support"})

    assert document.header.dataset_id == "support"
    assert any("The variable T is not defined" in each for each in told(document))
    assert document.header.metadata["suite"]["execution"] == {"target": "${{ T }}"}


def test_a_case_that_outgrows_a_record_with_its_variables_is_a_mistake() -> None:
    row = case(input="${{ X }}" * 1_000)

    (issue,) = issues(lines(row), NAME, FILES, variables={"X": "x" * 10_000})

    assert issue.code == "record_too_large"
