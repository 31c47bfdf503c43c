"""When two uploads are the same version: what was sent, and what it was read as."""

import json

import pytest

from apps.accounts.models import Workspace
from apps.datasets.contracts import Options
from apps.datasets.models import Upload, Variable
from apps.datasets.uploading import uploads

pytestmark = pytest.mark.django_db

SHEET = b"id,input,query,response,criteria\n1,x,q,r,c\n"
CASE = json.dumps({"id": "1", "criteria": "g", "input": "Say ${{ WORD }}."}).encode()


def sent(workspace: Workspace, raw: bytes, name: str, **options: object) -> Upload:
    return uploads.accept_document(
        workspace=workspace,
        chunks=[raw],
        filename=name,
        by=None,
        options=Options.model_validate({"dataset_name": "same", **options}),
    )


def test_the_same_file_is_the_same_version(workspace: Workspace) -> None:
    first, second = (sent(workspace, SHEET, "sheet.csv", format="pairs") for _ in range(2))

    assert first.version == second.version


def test_a_file_read_as_another_format_is_another_version(workspace: Workspace) -> None:
    first = sent(workspace, SHEET, "sheet.csv", format="pairs")
    second = sent(workspace, SHEET, "sheet.csv", format="agentv")

    assert first.version is not None
    assert second.version is not None
    assert [first.version.format, second.version.format] == ["pairs", "agentv"]


def test_a_changed_variable_makes_another_version(workspace: Workspace) -> None:
    word = Variable.objects.create(workspace=workspace, name="WORD", value="one")
    first = sent(workspace, CASE, "cases.jsonl")
    word.value = "two"
    word.save()

    second = sent(workspace, CASE, "cases.jsonl")

    assert first.version != second.version
    assert second.version is not None
    assert "Say two." in second.version.records.get().payload


def test_what_a_mapping_does_not_change_is_the_same_version(workspace: Workspace) -> None:
    first = sent(workspace, SHEET, "sheet.csv", format="pairs")
    mapped = sent(workspace, SHEET, "sheet.csv", format="pairs", mapping={"query": "query"})
    other = sent(workspace, SHEET, "sheet.csv", format="pairs", mapping={"query": "input"})

    assert first.version == mapped.version != other.version
