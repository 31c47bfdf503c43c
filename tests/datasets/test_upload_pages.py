"""Pages of uploads over HTTP: from the form by way of its progress to what was taken."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.datasets.models import Dataset, DatasetVersion, Upload
from apps.datasets.uploading.reading import MAX_BYTES
from apps.jobs import services as jobs
from tests.datasets.bundles import address
from tests.datasets.documents import bad_record, document, record

from .pages import text_of


@pytest.fixture(autouse=True)
def signed_in(client: Client, alice: User) -> None:
    client.force_login(alice)


def send(client: Client, content: bytes, **more: Any) -> HttpResponse:
    file = SimpleUploadedFile("qa.json", content, "application/json")
    headers = more.pop("headers", {})
    answer: HttpResponse = client.post(address("upload"), {"file": file, **more}, headers=headers)
    return answer


def test_the_form_states_the_limits_and_offers_templates(client: Client) -> None:
    text = text_of(client.get(address("upload")))

    for limit in ("100 MB", "50,000 records", "500 files", "UTF-8"):
        assert limit in text
    assert "dataset.json" in text
    assert "contract_v1.schema.json" in text


def test_a_file_goes_from_form_to_report(client: Client, workspace: Workspace) -> None:
    sent = send(client, document(record(0), bad_record(1)))
    upload = Upload.objects.get()
    waiting = client.get(sent["Location"])
    jobs.look_at(Upload, upload.pk)
    ended = client.get(sent["Location"])
    report = client.get(ended["Location"])

    assert (sent.status_code, sent["Location"]) == (302, address("upload-status", upload.pk))
    assert "waits for a worker" in text_of(waiting)
    assert ended["Location"] == address("report", upload.pk)
    assert "1 record rejected, 1 record accepted" in text_of(report)
    assert upload.via == "page"


def test_the_script_is_told_where_to_go(client: Client, workspace: Workspace) -> None:
    answer = send(client, document(), headers={"x-requested-with": "XMLHttpRequest"})

    upload = Upload.objects.get()
    assert answer.json() == {"location": address("upload-status", upload.pk)}


def test_a_name_and_a_format_may_be_chosen(client: Client, workspace: Workspace) -> None:
    send(client, document(), name="Support questions", format="contract_v1")

    upload = Upload.objects.get()
    jobs.look_at(Upload, upload.pk)
    assert Dataset.objects.get().name == "Support questions"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "The submitted file is empty"),
        ({"format": "csv"}, "Select a valid choice"),
        ({"name": "two\nlines"}, "The name has U+000A, which is not shown."),
    ],
)
def test_a_wrong_form_says_what_is_wrong(
    client: Client, workspace: Workspace, fields: dict[str, str], sentence: str
) -> None:
    answer = send(client, document() if fields else b"", **fields)

    assert answer.status_code == 400
    assert sentence in text_of(answer)
    assert not Upload.objects.exists()


def test_a_body_that_is_too_large_is_refused_before_it_is_read(
    client: Client, workspace: Workspace
) -> None:
    answer = client.post(address("upload"), {}, CONTENT_LENGTH=str(MAX_BYTES + 1_000_000))

    assert answer.status_code == 413
    assert "larger than 100 MB" in text_of(answer)


def test_the_form_needs_its_token_in_field_or_header(workspace: Workspace, alice: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    strict.get(address("upload"))
    token = strict.cookies["csrftoken"].value

    assert send(strict, document()).status_code == 403
    assert send(strict, document(), headers={"x-csrftoken": token}).status_code == 302
    assert send(strict, document(), csrfmiddlewaretoken=token).status_code == 302


def test_progress_is_a_fragment_that_leads_to_the_report(
    client: Client, workspace: Workspace
) -> None:
    status = send(client, document())["Location"]
    upload = Upload.objects.get()

    polled = client.get(status, headers={"HX-Request": "true"})
    jobs.look_at(Upload, upload.pk)
    ended = client.get(status, headers={"HX-Request": "true"})

    assert polled.content.decode().strip().startswith("<section")
    assert "No worker is running" in text_of(polled)
    assert ended["HX-Redirect"] == address("report", upload.pk)


def test_an_upload_is_cancelled_from_its_page(client: Client, workspace: Workspace) -> None:
    send(client, document())
    upload = Upload.objects.get()

    answer = client.post(address("upload-cancel", upload.pk), follow=True)

    assert "The upload was cancelled. Nothing of it was kept." in text_of(answer)
    jobs.look_at(Upload, upload.pk)
    assert not DatasetVersion.objects.exists()


def test_templates_and_schemas_are_downloads(client: Client) -> None:
    template = client.get(address("format-template", "contract_v1"))
    schema = client.get(address("format-schema", "contract_v1"))

    assert template["Content-Disposition"] == 'attachment; filename="dataset.json"'
    assert json.loads(template.content)["schema_version"] == "1.0"
    assert schema.json()["title"] == "Dataset Contract v1"
    assert client.get(address("format-schema", "nothing")).status_code == 404
