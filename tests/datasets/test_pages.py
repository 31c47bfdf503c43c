"""Pages of datasets over HTTP."""

import csv
import io
import json
import re
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User, Workspace
from apps.datasets import exporting
from apps.datasets.contracts import Options
from apps.datasets.models import Dataset, DatasetVersion, Upload
from apps.datasets.reading import MAX_BYTES
from apps.datasets.sight import Sight
from apps.jobs import services as jobs
from tests.datasets.documents import a_version, accepted, bad_record, document, record

HOSTILE = '<script>alert("x")</script>'
MOST_QUERIES = 12


@pytest.fixture(autouse=True)
def signed_in(client: Client, alice: User) -> None:
    client.force_login(alice)


def address(name: str, *args: Any) -> str:
    return reverse(f"datasets:{name}", args=["demo", *args])


def text_of(answer: HttpResponse) -> str:
    """What people read: tags away, white space folded."""
    content = answer.content.decode()
    main = content[content.index("<main") :] if "<main" in content else content
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", main)).split())


def streamed(answer: Any) -> str:
    return b"".join(answer.streaming_content).decode()


def send(client: Client, content: bytes, **more: Any) -> HttpResponse:
    file = SimpleUploadedFile("qa.json", content, "application/json")
    headers = more.pop("headers", {})
    answer: HttpResponse = client.post(address("upload"), {"file": file, **more}, headers=headers)
    return answer


# -- the list -------------------------------------------------------------------------------


def test_an_empty_list_teaches_the_next_step(client: Client, workspace: Workspace) -> None:
    text = text_of(client.get(address("list")))

    assert "No datasets yet" in text
    assert "Download a template" in text


def test_a_reviewer_is_offered_nothing_to_upload(client: Client, bob: User) -> None:
    client.force_login(bob)

    content = client.get(address("list")).content.decode()

    assert address("upload") not in content


def test_the_list_shows_counts_and_the_newest_on_top(client: Client, workspace: Workspace) -> None:
    a_version(workspace, document(dataset_id="old"))
    a_version(workspace, document(dataset_id="new"))
    a_version(workspace, document(record(1), dataset_id="old", dataset_version="2"))

    text = text_of(client.get(address("list")))

    assert text.index("old 2 1 2") < text.index("new 1 3 1")


def test_the_list_is_searched_and_shows_the_archived_apart(
    client: Client, workspace: Workspace
) -> None:
    a_version(workspace, document(dataset_id="support"))
    gone = a_version(workspace, document(dataset_id="sales")).dataset
    client.post(address("archive", gone.pk))

    assert "support" in text_of(client.get(f"{address('list')}?q=UPP"))
    listed = client.get(address("list")).context["page"].items
    archived = client.get(f"{address('list')}?archived=yes").context["page"].items
    assert [dataset.name for dataset in listed] == ["support"]
    assert [dataset.name for dataset in archived] == ["sales"]
    assert "No dataset found" in text_of(client.get(f"{address('list')}?q=nothing"))


def test_the_list_pages_by_key_and_htmx_gets_the_fragment(
    client: Client, workspace: Workspace
) -> None:
    for number in range(52):
        a_version(workspace, document(record(0), dataset_id=f"set-{number}"))

    first = client.get(address("list"), headers={"HX-Request": "true"})
    older = first.context["page"].older
    second = client.get(address("list"), {"cursor": older})

    assert first.content.decode().strip().startswith('<div id="datasets"')
    assert [row.name for row in second.context["page"].items] == ["set-1", "set-0"]


# -- uploading ------------------------------------------------------------------------------


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
        ({"name": "two\nlines"}, "printable characters"),
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


# -- the report -----------------------------------------------------------------------------


def test_the_report_shows_each_error_with_its_value_escaped(
    client: Client, workspace: Workspace
) -> None:
    hostile = record(1, record_id=HOSTILE, expected={"required_criteria": [HOSTILE]})
    upload = accepted(workspace, document(record(0), hostile))

    answer = client.get(address("report", upload.pk))

    assert HOSTILE.encode() not in answer.content
    text = text_of(answer)
    assert "records[1].expected.required_criteria[0] invalid_enum_value" in text
    assert json.dumps(HOSTILE) in text


def test_errors_are_filtered_by_code(client: Client, workspace: Workspace) -> None:
    upload = accepted(workspace, document(record(0), bad_record(1), record(2, extra=1)))
    report = address("report", upload.pk)

    everything = client.get(report)
    filtered = client.get(f"{report}?code=unsupported_field")

    assert "Showing 2 of 2" in text_of(everything)
    assert "Showing 1 of 1" in text_of(filtered)
    assert [issue.code for issue, _ in filtered.context["rows"]] == ["unsupported_field"]


def test_a_long_list_says_how_much_it_shows(client: Client, workspace: Workspace) -> None:
    crowded = record(1, expected={"required_criteria": ["x"] * 150})
    bad = [bad_record(number) for number in range(2, 30)]
    upload = accepted(workspace, document(record(0), crowded, *bad))

    first = client.get(address("report", upload.pk))
    second = client.get(address("report", upload.pk), {"cursor": first.context["page"].older})

    assert "Showing 100 of 128 listed; 178 in all" in text_of(first)
    assert "Showing 28 of 128 listed; 178 in all" in text_of(second)


def test_errors_are_taken_along_safe_for_spreadsheets(client: Client, workspace: Workspace) -> None:
    formula = "=HYPERLINK(1)"
    upload = accepted(workspace, document(record(0), record(1, record_id=formula, extra=1)))

    rows = list(csv.DictReader(io.StringIO(streamed(client.get(address("issues-csv", upload.pk))))))
    lines = streamed(client.get(address("issues-jsonl", upload.pk))).splitlines()

    assert [row["record_id"] for row in rows] == [f"'{formula}"]
    assert [json.loads(line)["record_id"] for line in lines] == [formula]
    assert rows[0]["code"] == "unsupported_field"


def test_downloads_follow_the_filter(client: Client, workspace: Workspace) -> None:
    upload = accepted(workspace, document(record(0), bad_record(1), record(2, extra=1)))
    query = "?code=unsupported_field"

    page = client.get(address("report", upload.pk) + query).content.decode()
    lines = streamed(client.get(address("issues-jsonl", upload.pk) + query)).splitlines()

    assert address("issues-csv", upload.pk) + query in page
    assert len(lines) == 1


def test_a_refused_document_says_what_where_and_what_next(
    client: Client, workspace: Workspace
) -> None:
    upload = accepted(workspace, document(dataset_id="a b", schema_version="2"))

    text = text_of(client.get(address("report", upload.pk)))

    assert "Rejected" in text
    assert "schema_version invalid_enum_value" in text
    assert "Correct the file and upload it again." in text
    assert "Start a run" not in text


def test_a_conflict_names_both_versions(client: Client, workspace: Workspace) -> None:
    standing = a_version(workspace)
    upload = accepted(workspace, document(record(9)))

    answer = client.get(address("report", upload.pk))

    assert address("version", standing.pk) in answer.content.decode()
    assert standing.identity[:12] in text_of(answer)
    assert "another dataset_version" in text_of(answer)


def test_the_same_bytes_again_are_told(client: Client, workspace: Workspace) -> None:
    a_version(workspace)

    text = text_of(client.get(address("report", accepted(workspace).pk)))

    assert "These bytes were here already." in text


def test_warnings_are_shown(client: Client, workspace: Workspace) -> None:
    upload = accepted(workspace, document(record(0, input={"prompt": "cafe\u0301"})))

    assert "not in Unicode NFC: stored normalised" in text_of(
        client.get(address("report", upload.pk))
    )


# -- versions and records -------------------------------------------------------------------


def test_a_dataset_lists_its_versions(client: Client, workspace: Workspace) -> None:
    first = a_version(workspace)
    a_version(workspace, document(record(0), bad_record(1), dataset_version="2"))

    text = text_of(client.get(address("detail", first.dataset_id)))

    assert text.index("2 1 1 contract_v1") < text.index("1 3 0 contract_v1")


def test_archiving_and_restoring_answer_with_the_dataset(
    client: Client, workspace: Workspace
) -> None:
    dataset = a_version(workspace).dataset

    archived = client.post(address("archive", dataset.pk), follow=True)
    restored = client.post(address("restore", dataset.pk), follow=True)

    assert "qa is archived: find it under Archived." in text_of(archived)
    assert "qa is back in the list." in text_of(restored)
    dataset.refresh_from_db()
    assert dataset.archived_at is None


def test_records_are_filtered_by_slices_and_text(client: Client, workspace: Workspace) -> None:
    version = address("version", a_version(workspace).pk)

    def found(query: str) -> list[int]:
        rows = client.get(version + query).context["rows"]
        return [row["record"].ordinal for row in rows]

    assert found("") == [0, 1, 2]
    assert found("?facet=tag%3Deven") == [0, 2]
    assert found("?facet=tag%3Deven&q=q_0002") == [2]
    assert "No record found" in text_of(client.get(f"{version}?q=zzz"))


def test_slices_with_odd_names_still_filter(client: Client, workspace: Workspace) -> None:
    odd = record(0, tags=['a&b="c"'], metadata={"k=v": "x=y"})
    version = a_version(workspace, document(odd, record(1)))

    page = client.get(address("version", version.pk))
    links = re.findall(r'class="chip" href="([^"]+)"', page.content.decode())

    for link in map(unescape, links):
        rows = client.get(link).context["rows"]
        assert rows, link
    assert sum("k%3Dv%3Dx%3Dy" in link for link in links) == 1


def test_a_record_is_a_page_and_a_fragment_with_neighbours(
    client: Client, workspace: Workspace
) -> None:
    version = a_version(workspace, document(*[record(number) for number in range(5)]))
    query = "?facet=tag%3Deven"

    page = client.get(address("record", version.pk, 2) + query)
    fragment = client.get(address("record", version.pk, 2), headers={"HX-Request": "true"})

    assert page.context["previous"] == address("record", version.pk, 0) + query
    assert page.context["next"] == address("record", version.pk, 4) + query
    assert fragment.content.decode().strip().startswith("<article")
    assert "Overfitting is when…" in text_of(page)
    assert client.get(address("record", version.pk, 99)).status_code == 404
    assert client.get(address("record", version.pk, 10**30)).status_code == 404


def test_a_record_shows_everything_that_it_holds(client: Client, workspace: Workspace) -> None:
    rich = record(
        0,
        input={"prompt": HOSTILE, "context": ["first"]},
        reference={"answer": "yes", "sources": ["book"]},
        expected={"max_latency_ms": 2000, "required_criteria": ["accuracy"]},
        metadata={"language": "en"},
    )
    version = a_version(workspace, document(rich))

    answer = client.get(address("record", version.pk, 0))

    text = text_of(answer)
    for shown in (HOSTILE, '"context"', '"sources"', "2.00 s", "accuracy", '"language": "en"'):
        assert shown in text
    assert HOSTILE.encode() not in answer.content


def test_a_version_is_downloaded_as_a_document_that_is_accepted_again(
    client: Client, workspace: Workspace
) -> None:
    version = a_version(workspace, document(record(0), bad_record(1), record(2)))

    answer = client.get(address("version-download", version.pk))
    content = streamed(answer).encode()
    again = accepted(workspace, content, options=Options(dataset_name="again")).version

    assert answer["Content-Type"] == "application/json"
    assert again is not None
    assert again.records_sha256 == version.records_sha256


def test_a_workspace_that_redacts_shows_no_personal_data(
    client: Client, workspace: Workspace
) -> None:
    workspace.redacts_personal_data = True
    workspace.save()
    told = record(0, input={"prompt": "Write to alice.smith@example.com today"})
    upload = accepted(workspace, document(told, record(1, tags=["alice.smith@example.com", 5])))
    version = upload.version
    assert version is not None

    pages = [
        client.get(address("report", upload.pk)),
        client.get(address("version", version.pk)),
        client.get(address("record", version.pk, 0)),
    ]
    document_of = b"".join(exporting.export(version, "contract_v1", Sight(workspace)).pieces)

    for page in pages:
        assert b"alice.smith" not in page.content
    assert b"alice.smith" not in document_of
    assert b"[REDACTED:" in document_of


def test_hostile_names_are_only_text(client: Client, workspace: Workspace) -> None:
    hostile = record(0, record_id=HOSTILE, tags=[HOSTILE], input={"prompt": HOSTILE})
    content = document(hostile, dataset_version=HOSTILE, metadata={"owner": HOSTILE})
    upload = accepted(workspace, content, options=Options(dataset_name=HOSTILE))
    version = upload.version
    assert version is not None

    for page in (
        address("list"),
        address("detail", version.dataset_id),
        address("version", version.pk),
        address("record", version.pk, 0),
        address("report", upload.pk),
    ):
        answer = client.get(page)
        assert HOSTILE in text_of(answer), page
        assert HOSTILE.encode() not in answer.content, page


@pytest.mark.parametrize("page", ["list", "detail", "version", "filtered", "record", "report"])
def test_no_page_takes_more_than_twelve_queries(
    client: Client,
    workspace: Workspace,
    page: str,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    records = [record(number, metadata={"n": number}) for number in range(120)]
    upload = accepted(workspace, document(*records, bad_record(500)))
    version = upload.version
    assert version is not None
    pages = {
        "list": address("list"),
        "detail": address("detail", version.dataset_id),
        "version": address("version", version.pk),
        "filtered": address("version", version.pk) + "?facet=tag%3Dml&facet=tag%3Dodd&q=q_",
        "record": address("record", version.pk, 7),
        "report": address("report", upload.pk),
    }

    with django_assert_max_num_queries(MOST_QUERIES):
        answer = client.get(pages[page])

    assert answer.status_code == 200
