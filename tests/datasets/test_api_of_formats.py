"""The API of every format but Dataset Contract v1: uploading, comparing, exporting."""

import gzip
import json
from collections.abc import Mapping
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.datasets.formats import FORMATS
from apps.datasets.models import DatasetVersion, Upload
from apps.datasets.uploading.reading import MAX_BYTES
from tests import samples
from tests.datasets.bundles import legal, lines, table, zip_of
from tests.datasets.documents import a_version, document, record

DATASETS = "/api/v1/datasets"
LINES = "application/x-ndjson"


class Api:
    def __init__(self, headers: Mapping[str, str]) -> None:
        self.headers = headers
        self.client = Client()

    def post(self, content: bytes, query: str = "", content_type: str = LINES) -> HttpResponse:
        answer: HttpResponse = self.client.post(
            f"{DATASETS}{query}", content, content_type=content_type, headers=self.headers
        )
        return answer

    def form(self, query: str = "", **parts: Any) -> HttpResponse:
        answer: HttpResponse = self.client.post(f"{DATASETS}{query}", parts, headers=self.headers)
        return answer

    def get(self, url: str, status: int = 200) -> Any:
        answer = self.client.get(url, headers=self.headers)
        assert answer.status_code == status, getattr(answer, "content", b"")
        return answer


@pytest.fixture
def api(workspace: Workspace, alice: User) -> Api:
    return Api(samples.bearer_of(alice, workspace))


# -- uploading ---------------------------------------------------------------------------------


def test_a_file_of_lines_is_known_by_its_content_type_and_content(api: Api) -> None:
    answer = api.post(lines(legal(1), legal(2)))

    version = DatasetVersion.objects.get()
    assert answer.status_code == 201, answer.content
    assert version.format == "legal_eval_v1"
    assert answer.json() == {
        "dataset_version_id": version.pk,
        "status": "accepted",
        "summary": {"total_records": 2, "accepted_records": 2, "rejected_records": 0},
        "record_errors": [],
        "warnings": [],
        "request_id": answer["x-request-id"],
    }


def test_a_refusal_lists_every_error_with_its_line(api: Api) -> None:
    answer = api.post(lines(legal(1), legal(2, prompt=""), legal(3, choices=[])), "?name=leases")

    body = answer.json()
    assert (answer.status_code, body["error"]["code"]) == (400, "invalid_request")
    assert body["error"]["details"]["reason"] == "record_errors"
    assert body["error"]["details"]["valid_records"] == 1
    assert {error["line"] for error in body["record_errors"]} == {2, 3}
    assert body["summary"]["rejected_records"] == 2
    assert not DatasetVersion.objects.exists()


def test_valid_only_leaves_out_what_has_errors(api: Api) -> None:
    answer = api.post(lines(legal(1), legal(2, prompt="")), "?valid_only=true")

    assert answer.status_code == 202
    assert answer.json()["summary"]["accepted_records"] == 1
    assert answer.json()["record_errors"][0]["line"] == 2


def test_warnings_come_apart_from_errors(api: Api) -> None:
    body = api.post(lines(legal(1, unknown=5))).json()

    assert body["record_errors"] == []
    assert [warning["severity"] for warning in body["warnings"]] == ["warning"]
    assert body["warnings"][0]["line"] == 1


def test_columns_are_mapped_in_the_address(api: Api) -> None:
    content = table("number,question,reply", "a,Lamp?,Yes.")

    unknown = api.post(content, "?format=pairs", "text/csv")
    query = "?format=pairs&map.id=number&map.query=question&map.response=reply"
    mapped = api.post(content, query, "text/csv")

    details = unknown.json()["error"]["details"]
    assert (unknown.status_code, details["reason"]) == (400, "mapping_needed")
    assert details["columns"] == ["number", "question", "reply"]
    assert mapped.status_code == 201


def test_what_is_packed_is_unpacked(api: Api) -> None:
    packed = gzip.compress(document())
    zipped = zip_of({"a/leases.jsonl": lines(legal(1))})

    first = api.post(packed, "?format=contract_v1", "application/gzip")
    second = api.post(zipped, "", "application/zip")

    assert (first.status_code, second.status_code) == (201, 201)


def test_of_several_files_in_a_zip_the_main_one_is_named(api: Api) -> None:
    zipped = zip_of({"a.jsonl": lines(legal(1)), "b.jsonl": lines(legal(2))})

    refused = api.post(zipped, "", "application/zip")
    named = api.post(zipped, "?main=b.jsonl", "application/zip")

    assert refused.json()["error"]["details"]["main_files"] == ["a.jsonl", "b.jsonl"]
    assert named.status_code == 201


def test_json_is_the_contracts_unless_a_format_is_named(api: Api) -> None:
    pairs = json.dumps([{"id": "a", "query": "q", "response": "r"}]).encode()

    unnamed = api.post(pairs, "", "application/json")
    named = api.post(pairs, "?format=pairs", "application/json")

    assert unnamed.status_code == 400
    assert named.status_code == 201


@pytest.mark.parametrize("content_type", ["text/plain", "application/octet-stream", "image/png"])
def test_a_content_type_that_says_nothing_needs_a_format(api: Api, content_type: str) -> None:
    refused = api.post(lines(legal(1)), "", content_type)
    named = api.post(lines(legal(1)), "?format=legal_eval_v1", content_type)

    assert refused.status_code == 415
    assert named.status_code == 201


def test_a_label_and_a_name_are_given_in_the_address(api: Api) -> None:
    api.post(lines(legal(1)), "?name=leases&version=spring")

    assert str(DatasetVersion.objects.get()) == "leases spring"


@pytest.mark.parametrize(
    "query",
    ["?format=csv", "?valid_only=perhaps", "?on=dsv_none", f"?version={'x' * 65}", "?name=%20a"],
)
def test_what_an_address_may_not_say_is_400(api: Api, query: str) -> None:
    answer = api.post(lines(legal(1)), query)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_request")
    assert not Upload.objects.exists()


# -- forms -------------------------------------------------------------------------------------


def a_form_with_paths(boundary: str = "edge") -> bytes:
    """As curl sends it: file names with folders in them."""
    row = lines(legal(1, attachments=[{"path": "attachments/lease.txt"}]))
    parts = [("file", "evals/leases.jsonl", row), ("files", "evals/attachments/lease.txt", b"Text")]
    body = b"".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{path}"\r\n'
        f"Content-Type: application/octet-stream\r\n\r\n".encode()
        + content
        + b"\r\n"
        for name, path, content in parts
    )
    return body + f"--{boundary}--\r\n".encode()


def test_a_form_keeps_the_paths_of_its_file_names(api: Api) -> None:
    answer = api.post(a_form_with_paths(), "", "multipart/form-data; boundary=edge")

    upload = Upload.objects.get()
    assert answer.status_code == 201, answer.content
    assert set(upload.files.values_list("path", flat=True)) == {
        "evals/leases.jsonl",
        "evals/attachments/lease.txt",
    }
    assert answer.json()["warnings"] == []


def test_a_form_may_name_the_paths_itself(api: Api) -> None:
    answer = api.form(
        file=SimpleUploadedFile("leases.jsonl", lines(legal(1))),
        files=[SimpleUploadedFile("lease.txt", b"Text")],
        paths=json.dumps(["attachments/lease.txt"]),
    )

    upload = api.get(f"/api/v1/uploads/{answer['x-upload-id']}").json()
    assert [file["path"] for file in upload["files"]] == [
        "attachments/leases.jsonl",
        "attachments/lease.txt",
    ]


def test_a_form_without_its_file_says_so(api: Api) -> None:
    answer = api.form(name="x")

    assert answer.status_code == 400
    assert "no part file" in answer.json()["error"]["message"]


def test_a_form_that_is_none_is_400(api: Api) -> None:
    answer = api.post(b"nonsense", "", "multipart/form-data")

    assert answer.status_code == 400


def test_a_form_that_is_too_large_is_refused_before_it_is_read(api: Api) -> None:
    answer = api.client.post(
        DATASETS,
        b"",
        content_type="multipart/form-data; boundary=x",
        CONTENT_LENGTH=str(MAX_BYTES + 1_000_000),
        headers=api.headers,
    )

    assert answer.status_code == 413


def test_a_session_sends_a_form_with_its_csrf_token(workspace: Workspace, alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    client.get(f"/w/{workspace.slug}/datasets/upload/")
    token = client.cookies["csrftoken"].value
    kind = "multipart/form-data; boundary=edge"

    without = client.post(DATASETS, a_form_with_paths(), content_type=kind)
    allowed = client.post(
        DATASETS, a_form_with_paths(), content_type=kind, headers={"x-csrftoken": token}
    )

    assert (without.status_code, allowed.status_code) == (403, 201)
    assert Upload.objects.get().files.filter(path="evals/attachments/lease.txt").exists()


# -- looking -----------------------------------------------------------------------------------


def test_formats_are_named_with_all_that_a_client_needs(api: Api) -> None:
    known = {dialect["id"]: dialect for dialect in api.get("/api/v1/formats").json()}

    assert known.keys() == FORMATS.keys()
    assert known["pairs"]["columns"][:3] == ["id", "query", "response"]
    assert known["pairs"]["required_columns"] == 3
    assert known["legal_eval_v1"]["all_or_nothing"] is True
    assert known["contract_v1"]["all_or_nothing"] is False
    assert known["legal_eval_v1"]["endings"] == [".jsonl"]


@pytest.mark.parametrize("format_id", FORMATS)
def test_every_template_goes_in_again(api: Api, workspace: Workspace, format_id: str) -> None:
    dialect = FORMATS[format_id]
    if dialect.purpose != "dataset":
        pytest.skip("it belongs to a version whose records it names")
    template = api.get(f"/api/v1/formats/{format_id}/template").content

    answer = api.post(template, f"?format={format_id}&filename={dialect.template_name}")

    assert answer.status_code == 201, answer.content


def test_an_upload_tells_its_options_files_and_warnings(api: Api) -> None:
    answer = api.post(lines(legal(1, unknown=5)), "?version=spring")

    upload = api.get(f"/api/v1/uploads/{answer['x-upload-id']}").json()
    issues = api.get(f"/api/v1/uploads/{answer['x-upload-id']}/issues").json()["results"]

    assert upload["options"]["label"] == "spring"
    assert upload["files"][0]["role"] == "main"
    assert upload["counts"]["warnings"] == 1
    assert (issues[0]["severity"], issues[0]["line"]) == ("warning", 1)
    assert "hint" in issues[0]


# -- comparing and exporting -------------------------------------------------------------------


def test_two_versions_are_compared_page_by_page(api: Api, workspace: Workspace) -> None:
    old = a_version(workspace, document(record(0), *[record(n) for n in range(1, 60)]))
    changed = [record(n, tags=["new"]) for n in range(1, 60)]
    new = a_version(workspace, document(*changed, record(99), dataset_version="2"))
    address = f"{DATASETS}/{old.dataset_id}/versions/{old.pk}/compare/{new.pk}"

    first = api.get(address).json()
    second = api.get(f"{address}?after={first['next']}").json()
    gone = api.get(f"{address}?change=removed").json()

    assert first["counts"] == {"added": 1, "removed": 1, "changed": 59, "same": 0}
    assert (len(first["results"]), len(second["results"]), second["next"]) == (50, 9, None)
    assert first["results"][0]["before"]["record"]["tags"] == ["odd", "ml"]
    assert first["results"][0]["after"]["record"]["tags"] == ["new"]
    assert (gone["results"][0]["record_id"], gone["results"][0]["after"]) == ("q_0000", None)
    api.get(f"{address}?after=x", status=400)
    api.get(f"{address}?change=other", status=400)


def test_versions_of_other_datasets_are_not_compared(api: Api, workspace: Workspace) -> None:
    one = a_version(workspace)
    other = a_version(workspace, document(dataset_id="other"))

    api.get(f"{DATASETS}/{one.dataset_id}/versions/{one.pk}/compare/{other.pk}", status=404)


def test_a_version_is_exported_in_its_own_format_and_others(api: Api, workspace: Workspace) -> None:
    version = a_version(workspace)
    address = f"/api/v1/dataset-versions/{version.pk}/export"

    own = b"".join(api.get(address).streaming_content)
    named = api.get(f"{address}?format=contract_v1")

    assert json.loads(own)["records"][0] == record(0)
    assert b"".join(named.streaming_content) == own
    assert "attachment" in named["Content-Disposition"]


@pytest.mark.parametrize(("format_id", "status"), [("pairs", 409), ("nothing", 400)])
def test_what_does_not_fit_is_refused_with_a_sentence(
    api: Api, workspace: Workspace, format_id: str, status: int
) -> None:
    version = a_version(workspace)

    answer = api.get(
        f"/api/v1/dataset-versions/{version.pk}/export?format={format_id}", status=status
    )

    assert answer.json()["error"]["message"]
