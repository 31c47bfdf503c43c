"""From a file to a dataset by way of a decision: journeys over HTTP."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.datasets.contracts import Options
from apps.datasets.models import DatasetVersion, Upload
from apps.jobs import services as jobs
from tests.datasets.bundles import address, legal, lines, send, table, zip_of
from tests.datasets.documents import a_version, document

OTHER_NAMES = table(
    "number,question,reply",
    "a,Can I return a lamp?,Yes.",
    "b,When do you open?,At nine.",
)


@pytest.fixture(autouse=True)
def signed_in(client: Client, alice: User) -> None:
    client.force_login(alice)


def read(upload: Upload | None = None) -> Upload:
    """Have a worker read what was sent last."""
    found = upload or Upload.objects.latest("id")
    jobs.look_at(Upload, found.pk)
    found.refresh_from_db()
    return found


def report_of(client: Client, upload: Upload) -> str:
    content = client.get(address("report", upload.pk)).content.decode()
    main = content[content.index("<main") : content.index("</main")]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", main)).split())


def go_on(client: Client, upload: Upload, **fields: Any) -> Upload:
    answer: HttpResponse = client.post(address("upload-again", upload.pk), fields)
    assert answer.status_code == 302
    return read()


# -- the valid records only --------------------------------------------------------------------


def test_a_file_with_errors_is_refused_whole_and_its_valid_records_are_a_choice(
    client: Client, workspace: Workspace
) -> None:
    broken = legal(2, prompt="")
    send(client, "leases.jsonl", lines(legal(1), broken, legal(3)))
    refused = read()

    text = report_of(client, refused)
    chosen = go_on(client, refused, valid_only="on")

    assert "Import the 2 valid records, leave 1 out" in text
    assert "Line Severity Path" in text
    assert not refused.version_id
    assert chosen.version is not None
    assert (chosen.version.accepted, chosen.version.rejected) == (2, 1)
    assert "1 record rejected, 2 records accepted" in report_of(client, chosen)


def test_a_reviewer_reads_the_report_and_is_offered_no_choice(
    client: Client, workspace: Workspace, bob: User
) -> None:
    send(client, "leases.jsonl", lines(legal(1), legal(2, prompt="")))
    refused = read()
    client.force_login(bob)

    text = report_of(client, refused)
    answer = client.post(address("upload-again", refused.pk), {"valid_only": "on"})

    assert "Import the" not in text
    assert answer.status_code == 403


def test_a_line_that_is_no_json_is_named_by_its_number(
    client: Client, workspace: Workspace
) -> None:
    send(client, "leases.jsonl", lines(legal(1)) + b"{broken\n", format="legal_eval_v1")
    refused = read()

    row = json.loads(b"".join(client.get(address("issues-jsonl", refused.pk))).splitlines()[0])  # type: ignore[arg-type]

    assert row["line"] == 2
    assert row["severity"] == "error"


def test_an_upload_that_is_open_takes_no_decision(client: Client, workspace: Workspace) -> None:
    send(client, "leases.jsonl", lines(legal(1)))
    waiting = Upload.objects.get()

    client.post(address("upload-again", waiting.pk), {"valid_only": "on"})

    assert Upload.objects.count() == 1


# -- columns -------------------------------------------------------------------------------------


def test_a_file_with_other_columns_is_mapped_looked_at_and_imported(
    client: Client, workspace: Workspace
) -> None:
    send(client, "answers.csv", OTHER_NAMES, format="pairs")
    unknown = read()

    asked = report_of(client, unknown)
    shown = go_on(
        client,
        unknown,
        preview="5",
        **{"map.id": "number", "map.query": "question", "map.response": "reply"},
    )
    preview = report_of(client, shown)
    kept = go_on(client, shown, preview="0")

    assert "Which column is what" in asked
    assert "Can I return a lamp?" in asked
    assert "This is a preview: nothing is kept yet." in preview
    assert "At nine." in preview
    assert not shown.version_id
    assert kept.version is not None
    assert list(kept.version.records.values_list("record_id", flat=True)) == ["a", "b"]


def test_the_columns_of_a_preview_may_be_mapped_anew(client: Client, workspace: Workspace) -> None:
    send(
        client,
        "answers.csv",
        table("id,query,response,source", "a,b,c,d"),
        format="pairs",
        preview="1",
    )
    shown = read()

    page = client.get(address("upload-mapping", shown.pk)).content.decode()

    assert "Map columns" in report_of(client, shown)
    assert 'name="map.query"' in page
    assert '<option value="query" selected>' in page


def test_a_file_without_columns_has_nothing_to_map(client: Client, workspace: Workspace) -> None:
    send(client, "qa.json", document())

    page = client.get(address("upload-mapping", read().pk)).content.decode()

    assert "There is nothing to map" in page


# -- looking first -------------------------------------------------------------------------------


def test_a_preview_keeps_nothing_and_says_whether_there_is_more(
    client: Client, workspace: Workspace
) -> None:
    send(client, "leases.jsonl", lines(*[legal(n) for n in range(9)]), preview="1")
    shown = read()

    text = report_of(client, shown)

    assert "The first records of the file were read" in text
    assert "Who repairs the boiler of flat 4?" in text
    assert "Who repairs the boiler of flat 5?" not in text
    assert not DatasetVersion.objects.exists()
    assert shown.phase == "preview"


def test_a_workspace_that_redacts_shows_no_personal_data_before_the_import_either(
    client: Client, workspace: Workspace
) -> None:
    workspace.redacts_personal_data = True
    workspace.save()
    secret = "alice.smith@example.com"
    send(client, "a.csv", table("id,query,response", f"1,Mail {secret},ok"), preview="1")
    shown = read()

    pages = [
        client.get(address("report", shown.pk)),
        client.get(address("upload-mapping", shown.pk)),
    ]

    for page in pages:
        assert secret not in page.content.decode()
        assert "[REDACTED:" in page.content.decode()


# -- files that go along --------------------------------------------------------------------------


def test_a_folder_keeps_its_paths_and_records_refer_to_its_files(
    client: Client, workspace: Workspace
) -> None:
    row = legal(1, attachments=[{"path": "attachments/lease.txt"}])
    main = lines(row)
    beside = {
        "evals/leases.jsonl": main,
        "evals/attachments/lease.txt": b"The landlord repairs the boiler.",
        "evals/.DS_Store": b"hidden",
    }

    send(client, "leases.jsonl", main, beside)
    upload = read()

    assert upload.verdict == "accepted", upload.outcome
    assert sorted(upload.files.values_list("path", flat=True)) == [
        "evals/attachments/lease.txt",
        "evals/leases.jsonl",
    ]
    assert upload.version is not None
    assert "The landlord repairs the boiler." in upload.version.records.get().payload


def test_a_main_file_beside_a_folder_finds_what_is_in_it(
    client: Client, workspace: Workspace
) -> None:
    row = legal(1, attachments=[{"path": "lease.txt"}])

    send(client, "leases.jsonl", lines(row), {"attachments/lease.txt": b"Boiler: the landlord."})

    version = read().version
    assert version is not None
    assert "Boiler: the landlord." in version.records.get().payload


def test_without_a_script_the_names_are_the_paths(client: Client, workspace: Workspace) -> None:
    send(client, "leases.jsonl", lines(legal(1)), {"notes.txt": b"x"}, paths="")

    assert set(Upload.objects.get().files.values_list("path", flat=True)) == {
        "leases.jsonl",
        "notes.txt",
    }


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "a/../../b", "\0"])
def test_no_path_leads_out_of_the_upload(client: Client, workspace: Workspace, path: str) -> None:
    send(client, "leases.jsonl", lines(legal(1)), {"x/notes.txt": b"x"}, paths=json.dumps([path]))

    for file in Upload.objects.get().files.all():
        assert ".." not in file.path
        assert not file.path.startswith("/")


@pytest.mark.parametrize("paths", ["{", "[1]", '["a", "b"]', "[" * 100_000])
def test_paths_that_cannot_be_are_left_aside(
    client: Client, workspace: Workspace, paths: str
) -> None:
    answer = send(client, "leases.jsonl", lines(legal(1)), {"notes.txt": b"x"}, paths=paths)

    assert answer.status_code == 302
    assert Upload.objects.get().files.filter(path="notes.txt").exists()


def test_the_same_path_twice_is_refused(client: Client, workspace: Workspace) -> None:
    beside = {"a/notes.txt": b"x", "b/notes.txt": b"y"}

    answer = send(client, "leases.jsonl", lines(legal(1)), beside, paths="")

    assert answer.status_code == 400
    assert "notes.txt is there twice." in answer.content.decode()


def test_more_files_than_a_form_takes_are_told(client: Client, workspace: Workspace) -> None:
    crowd = {f"{number}.txt": b"x" for number in range(501)}

    answer = send(client, "leases.jsonl", lines(legal(1)), crowd)

    assert answer.status_code == 400
    assert "More than 500 files at once" in answer.content.decode()


# -- zips -----------------------------------------------------------------------------------------


def test_a_zip_is_unpacked_and_its_one_dataset_read(client: Client, workspace: Workspace) -> None:
    row = legal(1, attachments=[{"path": "lease.txt"}])

    send(client, "all.zip", zip_of({"leases.jsonl": lines(row), "lease.txt": b"Boiler."}))

    assert read().verdict == "accepted"


def test_of_several_datasets_in_a_zip_the_main_one_is_chosen(
    client: Client, workspace: Workspace
) -> None:
    files = {"old.jsonl": lines(legal(1)), "new.jsonl": lines(legal(2), legal(3))}
    send(client, "all.zip", zip_of(files))
    refused = read()

    text = report_of(client, refused)
    chosen = go_on(client, refused, main="new.jsonl")

    assert "Several files of the zip could be the dataset." in text
    assert chosen.version is not None
    assert chosen.version.accepted == 2


# -- options --------------------------------------------------------------------------------------


def test_a_label_and_what_it_belongs_to_are_options(client: Client, workspace: Workspace) -> None:
    version = a_version(workspace)

    send(client, "leases.jsonl", lines(legal(1)), label="spring", on=version.pk)

    upload = read()
    assert Options(**upload.options).on == version.pk
    assert upload.version is not None
    assert upload.version.label == "spring"


def test_it_cannot_belong_to_a_version_of_another_workspace(
    client: Client, workspace: Workspace, charlie: User
) -> None:
    elsewhere = Workspace.objects.get(slug="elsewhere")
    foreign = a_version(elsewhere)

    answer = send(client, "leases.jsonl", lines(legal(1)), on=foreign.pk)
    page = client.get(f"{address('upload')}?on={foreign.pk}")

    assert answer.status_code == 400
    assert str(foreign) not in page.content.decode()
