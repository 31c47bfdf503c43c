"""A version as a file of its own format, of another that it fits, or of none."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from apps.accounts.models import Workspace
from apps.datasets.contracts import Options, Unfit
from apps.datasets.exporting import writing as exporting
from apps.datasets.formats import FORMATS
from apps.datasets.models import DatasetVersion
from apps.datasets.sight import Sight
from apps.datasets.uploading import uploads
from apps.datasets.uploading.reading import read_file
from tests.datasets.documents import a_version

pytestmark = pytest.mark.django_db

LEGAL = {
    "schema_version": "legal_eval_v1",
    "id": "deposit:1",
    "dataset": "tenancy",
    "task_type": "reference_qa",
    "prompt": "When must a deposit be returned?",
    "reference_answers": ["Within 30 days."],
}


def version_of(workspace: Workspace, name: str, *rows: Any) -> DatasetVersion:
    raw = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    upload = uploads.accept_document(workspace=workspace, chunks=[raw], filename=name, by=None)
    assert upload.version is not None, upload.outcome
    return upload.version


def exported(version: DatasetVersion, format_id: str) -> bytes:
    return b"".join(exporting.export(version, format_id, Sight(version.dataset.workspace)).pieces)


def test_the_own_format_comes_first_and_those_that_fit_follow(workspace: Workspace) -> None:
    version = version_of(workspace, "tenancy.jsonl", LEGAL)

    offered = [format_id for format_id, _title in exporting.exportable(version)]

    assert offered[:2] == ["legal_eval_v1", "contract_v1"]
    assert "scenarios" not in offered


def test_what_another_format_said_stays_whole_beside_the_reference(workspace: Workspace) -> None:
    version = version_of(workspace, "tenancy.jsonl", LEGAL)

    document = json.loads(exported(version, "contract_v1"))

    [record] = document["records"]
    assert (document["dataset_id"], document["dataset_version"]) == ("tenancy", "1")
    assert record["record_id"] == "deposit:1"
    assert LEGAL["prompt"] in record["input"]["prompt"]
    assert record["reference"] == {"answer": "Within 30 days.", "legal": LEGAL}


def test_a_converted_version_is_accepted_as_what_it_became(workspace: Workspace) -> None:
    raw = exported(version_of(workspace, "tenancy.jsonl", LEGAL), "contract_v1")

    upload = uploads.accept_document(
        workspace=workspace,
        chunks=[raw],
        filename="tenancy.json",
        by=None,
        options=Options(dataset_name="converted"),
    )

    assert upload.counts["accepted"] == 1


def test_a_conversation_does_not_fit_one_prompt(workspace: Workspace) -> None:
    talk = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": "When must a deposit be returned?"},
    ]
    version = version_of(workspace, "tenancy.jsonl", {**LEGAL, "messages": talk})

    assert "contract_v1" not in [each for each, _title in exporting.exportable(version)]
    with pytest.raises(Unfit, match="Record deposit:1 does not fit"):
        exported(version, "contract_v1")


def test_lines_with_a_sidecar_and_files_come_back_as_a_zip_that_is_read_the_same(
    workspace: Workspace, tmp_path: Path
) -> None:
    version = agentv_version(workspace)
    file = tmp_path / "all.zip"

    file.write_bytes(exported(version, "bundle"))

    reading = read_file(file, name=file.name)
    assert [record.sha256 for record in reading.records] == list(
        version.records.order_by("ordinal").values_list("sha256", flat=True)
    )


def agentv_version(workspace: Workspace) -> DatasetVersion:
    content = [{"type": "text", "value": "Read it."}, {"type": "file", "value": "./rules.md"}]
    case = {
        "id": "a",
        "expected_outcome": "x",
        "input_messages": [{"role": "user", "content": content}],
    }
    upload = uploads.accept_document(
        workspace=workspace,
        chunks=[json.dumps(case).encode()],
        filename="evals/shop.jsonl",
        beside={
            "evals/shop.yaml": [b"dataset: shop\nexecution:\n  target: fast\n"],
            "evals/rules.md": [b"Be brief."],
        },
        by=None,
    )
    assert upload.version is not None, upload.outcome
    return upload.version


@pytest.mark.parametrize(
    "format_id", [each.id for each in FORMATS.values() if each.purpose == "dataset"]
)
def test_every_format_writes_a_record_or_says_which_it_has_no_words_for(
    workspace: Workspace, format_id: str
) -> None:
    try:
        told = exported(a_version(workspace), format_id).decode()
    except Unfit as unfit:
        told = str(unfit)

    assert "q_0000" in told


def test_an_unknown_format_is_refused_with_those_that_there_are(workspace: Workspace) -> None:
    with pytest.raises(ValidationError, match="choose one of contract_v1"):
        exported(a_version(workspace), "sheet")
