"""`evalhub annotations import` and `annotations export`."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from apps.accounts.models import User, Workspace
from apps.artifacts.verification import verify_folder
from apps.labeling.models import Annotation, Campaign, Export
from tests.datasets.pairs import LABEL_COLUMNS, csv_of, pairs_version, uploaded
from tests.labeling.labelled import a_campaign, say

ROWS = [
    ("p0", "grounding", "true", "bob", "2026-01-15T10:05:12Z"),
    ("p1", "grounding", "false", "bob", ""),
]


@pytest.fixture(autouse=True)
def own_data(settings: LazySettings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "var"


@pytest.fixture
def file(tmp_path: Path, workspace: Workspace) -> Path:
    """Labels of a dataset that is here."""
    pairs_version(workspace)
    path = tmp_path / "labels.csv"
    path.write_bytes(csv_of(LABEL_COLUMNS, ROWS))
    return path


def said(*words: Any, **options: Any) -> str:
    out = io.StringIO()
    call_command("annotations", *map(str, words), stdout=out, **options)
    return out.getvalue()


def test_labels_are_imported_about_the_version_that_is_named(file: Path, alice: User) -> None:
    told = said("import", file, "--on", "pairs", "--user", "alice")

    assert "Annotations of pairs 1: 2 new, 0 changed, 0 as before." in told
    assert Annotation.objects.count() == 2
    assert Campaign.objects.get().created_by == alice


def test_a_file_with_errors_is_refused_with_exit_2(file: Path) -> None:
    file.write_bytes(csv_of(LABEL_COLUMNS, [("p9", "grounding", "true", "bob", "")]))

    with pytest.raises(SystemExit) as ended:
        said("import", file, "--on", "pairs")

    assert ended.value.code == 2
    assert not Annotation.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_labels_are_exported_into_the_data_directory(file: Path, tmp_path: Path) -> None:
    said("import", file)

    told = json.loads(said("export", "pairs", "--json"))

    export = Export.objects.get()
    folder = tmp_path / "var/data/annotated" / export.pk
    assert (told["to"], told["export_id"]) == (str(folder), export.pk)
    assert set(told["files"]) == {each.name for each in folder.iterdir()}
    lines = (folder / "annotations.csv").read_text().splitlines()
    assert lines[1:] == [",".join(row) for row in ROWS]
    assert verify_folder(folder, manifest_sha256=told["manifest_sha256"]).ok


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("form", "name"), [("labels", "a.csv"), ("lines", "a.jsonl"), ("training", "a.csv")]
)
def test_a_form_that_is_one_file_is_written_as_one(
    file: Path, tmp_path: Path, form: str, name: str
) -> None:
    said("import", file)

    told = said("export", "pairs", "--form", form, "--to", tmp_path / name)

    assert len((tmp_path / name).read_text().splitlines()) >= 2
    assert str(tmp_path / name) in told


@pytest.mark.django_db(transaction=True)
def test_an_import_is_exported_by_its_name(file: Path, tmp_path: Path) -> None:
    said("import", file)

    said("export", "Imported labels of pairs", "--form", "labels", "--to", tmp_path / "a.csv")

    assert len((tmp_path / "a.csv").read_text().splitlines()) == 1 + len(ROWS)


@pytest.mark.django_db(transaction=True)
def test_tasks_are_written_as_a_zip_or_a_folder(workspace: Workspace, tmp_path: Path) -> None:
    campaign = a_campaign(workspace)
    say(campaign.questions.get(), "bob", ["true"])

    said("export", "Grounding in March", "--form", "tasks", "--to", tmp_path / "a.zip")
    said("export", campaign.pk, "--form", "tasks", "--to", tmp_path / "folder")

    inside = zipfile.ZipFile(tmp_path / "a.zip").namelist()
    assert set(inside) == {each.name for each in (tmp_path / "folder").iterdir()}
    assert {"task_grounding.csv", "annotation_export.meta.json"} <= set(inside)


def test_several_files_need_a_folder(workspace: Workspace, tmp_path: Path) -> None:
    a_campaign(workspace)

    with pytest.raises(CommandError, match=r"name a folder, or a \.zip"):
        said("export", "Grounding in March", "--form", "tasks", "--to", tmp_path / "a.csv")

    assert not Export.objects.exists()


def test_a_file_that_is_there_is_left_alone(workspace: Workspace, tmp_path: Path) -> None:
    a_campaign(workspace)
    (tmp_path / "a.csv").write_text("mine")

    with pytest.raises(CommandError, match="is there already"):
        said("export", "Grounding in March", "--to", tmp_path / "a.csv")

    assert (tmp_path / "a.csv").read_text() == "mine"


def test_what_nobody_knows_is_refused_with_what_there_is(workspace: Workspace) -> None:
    a_campaign(workspace)

    with pytest.raises(CommandError, match="no campaign and no dataset 'spring'"):
        said("export", "spring")
    with pytest.raises(CommandError, match="Its campaigns are: Grounding in March"):
        said("export", "pairs")


@pytest.mark.django_db(transaction=True)
def test_an_export_that_cannot_be_written_is_refused_with_its_place(
    workspace: Workspace,
) -> None:
    pairs_version(workspace)
    columns = ("id", "task_type", "criterion", "label", "annotator_id", "chunk_id")
    names = ("topically_relevant", "evidence_sufficient", "misleading")
    rows = [("p0", "retrieval", name, "true", "bob", "chunk-1") for name in names]
    rows.append(("p1", "retrieval", "misleading", "true", "bob", "chunk-1"))
    uploaded(workspace, csv_of(columns, rows), "labels.csv")

    with pytest.raises(CommandError, match="bob to p1, passage chunk-1, has no label for"):
        said("export", "pairs", "--form", "tasks")
