"""The API of datasets, to the letter of the contract."""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import AuditEvent, User, Workspace
from apps.artifacts.models import Blob
from apps.datasets.formats import FORMATS
from apps.datasets.models import Dataset, DatasetVersion, Upload
from apps.datasets.uploading.reading import MAX_BYTES
from tests.datasets.documents import a_version, accepted, bad_record, document, record

DATASETS = "/api/v1/datasets"
FIXED_FIELDS = ["index", "record_id", "code", "message", "path", "severity"]


@pytest.fixture
def bearer(workspace: Workspace, alice: User) -> dict[str, str]:
    token = services.create_token(
        user=alice,
        workspace=workspace,
        name="test",
        lifetime=timedelta(days=1),
        now=timezone.now(),
        actor=alice,
    )
    return {"authorization": f"Bearer {token.plaintext}"}


@pytest.fixture
def api(bearer: dict[str, str]) -> "Api":
    return Api(bearer)


class Api:
    def __init__(self, headers: dict[str, str]) -> None:
        self.headers = headers
        self.client = Client()

    def post(self, content: bytes, url: str = DATASETS, **more: Any) -> HttpResponse:
        more.setdefault("content_type", "application/json")
        headers = {**self.headers, **more.pop("headers", {})}
        answer: HttpResponse = self.client.post(url, content, headers=headers, **more)
        return answer

    def get(self, url: str) -> Any:
        answer = self.client.get(url, headers=self.headers)
        assert answer.status_code == 200, answer.content
        return answer.json()


# -- the answers of the contract ------------------------------------------------------------


def test_a_good_document_is_created(api: Api) -> None:
    answer = api.post(document())

    version = DatasetVersion.objects.get()
    assert answer.status_code == 201
    assert answer.json() == {
        "dataset_version_id": version.pk,
        "status": "accepted",
        "summary": {"total_records": 3, "accepted_records": 3, "rejected_records": 0},
        "record_errors": [],
        "request_id": answer["x-request-id"],
    }
    assert UUID(answer["x-request-id"])


def test_record_errors_are_listed_exactly(api: Api) -> None:
    answer = api.post(document(record(0), record(1, input={"prompt": 5}), record(2)))

    assert answer.status_code == 202
    assert answer.json() == {
        "dataset_version_id": DatasetVersion.objects.get().pk,
        "status": "accepted_with_record_errors",
        "summary": {"total_records": 3, "accepted_records": 2, "rejected_records": 1},
        "record_errors": [
            {
                "index": 1,
                "record_id": "q_0001",
                "code": "invalid_field_type",
                "message": "input.prompt must be a string",
                "path": "records[1].input.prompt",
                "severity": "error",
            }
        ],
        "request_id": answer["x-request-id"],
    }


def test_when_all_records_fail_the_answer_is_the_contracts(api: Api) -> None:
    answer = api.post(document(*[bad_record(number) for number in range(4)]))

    assert answer.status_code == 400
    assert answer.json() == {
        "error": {
            "code": "invalid_request",
            "message": "All records failed validation",
            "details": {"rejected_records": 4, "accepted_records": 0},
        },
        "request_id": answer["x-request-id"],
    }
    assert not Dataset.objects.exists()


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        ({"record_id": None}, "invalid_field_type", "record_id"),
        ({"record_id": ""}, "value_out_of_range", "record_id"),
        ({"record_id": "x" * 129}, "string_too_long", "record_id"),
        ({"record_id": "q_0000"}, "duplicate_record_id", "record_id"),
        ({"input": {}}, "missing_required_field", "input.prompt"),
        ({"input": []}, "invalid_field_type", "input"),
        ({"input": {"prompt": ""}}, "value_out_of_range", "input.prompt"),
        ({"input": {"prompt": "x" * 200_001}}, "string_too_long", "input.prompt"),
        ({"input": {"prompt": "a\u0000b"}}, "invalid_encoding", "input.prompt"),
        ({"input": {"prompt": "a\ud800b"}}, "invalid_encoding", "input.prompt"),
        ({"tags": ["x"] * 33}, "value_out_of_range", "tags"),
        ({"tags": [""]}, "value_out_of_range", "tags[0]"),
        ({"expected": {"max_latency_ms": True}}, "invalid_field_type", "expected.max_latency_ms"),
        ({"expected": {"max_latency_ms": 0}}, "value_out_of_range", "expected.max_latency_ms"),
        (
            {"expected": {"required_criteria": ["beauty"]}},
            "invalid_enum_value",
            "expected.required_criteria[0]",
        ),
        ({"expected": {"x": 1}}, "unsupported_field", "expected.x"),
        ({"extra": 1}, "unsupported_field", "extra"),
        ({"metadata": {"x": "y" * 9000}}, "record_too_large", "metadata"),
        ({"reference": {"x": ["y" * 90_000] * 3}}, "record_too_large", ""),
    ],
    ids=lambda value: str(value)[:40],
)
def test_every_code_has_its_path(api: Api, change: dict[str, Any], code: str, path: str) -> None:
    answer = api.post(document(record(0), record(1, **change)))

    assert answer.status_code == 202, answer.content
    [error] = answer.json()["record_errors"]
    assert list(error) == FIXED_FIELDS
    assert (error["index"], error["code"], error["severity"]) == (1, code, "error")
    assert error["path"] == (f"records[1].{path}" if path else "records[1]")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"   ", "empty"),
        (b"[1]", "object"),
        (b'{"dataset_id": "x"', "early"),
        (b"\xff\xfe{\x00", "UTF-8"),
        (b"[" * 100_000, "object"),
        (b'{"records": ' + b"[" * 100_000, "nested too deep"),
        (document(dataset_id="a b"), "dataset_id"),
        (document(schema_version="1.1"), "schema_version"),
        (document(records=[]), "records"),
        (document(created_at="yesterday"), "created_at"),
        (document(surprise=1), "surprise"),
        (document().replace(b'"1.0"', b'"1.0", "dataset_id": "again"'), "repeated"),
        (document().replace(b'"q_0000"', b"NaN"), "NaN"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_hostile_documents_get_a_clear_400(api: Api, content: bytes, words: str) -> None:
    answer = api.post(content)

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "invalid_request")
    assert words in error["message"]
    assert answer.json()["request_id"] == answer["x-request-id"]
    assert not Dataset.objects.exists()


def test_the_same_bytes_again_are_the_same_version(api: Api) -> None:
    first = api.post(document())

    again = api.post(document())

    assert again.status_code == 201
    assert again.json()["dataset_version_id"] == first.json()["dataset_version_id"]


def test_other_bytes_under_the_same_id_and_version_conflict(api: Api) -> None:
    standing = api.post(document()).json()["dataset_version_id"]

    answer = api.post(document(record(9)))

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (409, "conflict")
    assert error["details"]["existing_version_id"] == standing
    assert error["details"]["existing_sha256"] != error["details"]["uploaded_sha256"]


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/xml", "application/octet-stream"]
)
def test_another_content_type_is_refused(api: Api, content_type: str) -> None:
    answer = api.post(document(), content_type=content_type)

    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "invalid_request")
    assert not Upload.objects.exists()


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON"])
def test_parameters_and_case_of_the_content_type_do_not_matter(api: Api, content_type: str) -> None:
    assert api.post(document(), content_type=content_type).status_code == 201


def test_a_declared_size_over_the_limit_is_refused_before_reading(api: Api) -> None:
    answer = api.post(b"{}", CONTENT_LENGTH=str(MAX_BYTES + 1))

    assert answer.status_code == 413
    assert answer.json()["error"] == {
        "code": "payload_too_large",
        "message": "dataset upload exceeds 100MB",
        "details": {},
    }
    assert not Blob.objects.exists()


def test_the_callers_request_id_is_kept(api: Api) -> None:
    answer = api.post(document(), headers={"x-request-id": "nightly-17"})

    assert answer.json()["request_id"] == answer["x-request-id"] == "nightly-17"
    assert AuditEvent.objects.get(verb="uploaded").request_id == "nightly-17"


def test_a_name_may_be_given(api: Api) -> None:
    answer = api.post(document(), f"{DATASETS}?name=Support%20questions")

    assert answer.status_code == 201
    assert Dataset.objects.get().name == "Support questions"
    assert api.post(document(), f"{DATASETS}?name={'x' * 129}").status_code == 400


def test_a_session_may_upload_with_its_csrf_token(workspace: Workspace, alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    client.get(f"/w/{workspace.slug}/datasets/upload/")
    token = client.cookies["csrftoken"].value

    without = client.post(DATASETS, document(), content_type="application/json")
    with_token = client.post(
        DATASETS, document(), content_type="application/json", headers={"x-csrftoken": token}
    )

    assert without.status_code == 403
    assert with_token.status_code == 201


def test_a_reviewer_may_look_and_not_upload(
    workspace: Workspace, bob: User, client: Client
) -> None:
    client.force_login(bob)

    answer = client.post(DATASETS, document(), content_type="application/json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")
    assert client.get(DATASETS).status_code == 200


def test_the_upload_is_named_in_a_header_and_keeps_its_report(api: Api) -> None:
    answer = api.post(document(record(0), bad_record(1)))

    upload = api.get(f"/api/v1/uploads/{answer['x-upload-id']}")
    issues = api.get(f"/api/v1/uploads/{answer['x-upload-id']}/issues")

    assert upload["counts"]["codes"] == {"invalid_field_type": 1}
    assert (upload["state"], upload["http_status"], upload["error"]) == ("done", 202, None)
    assert issues["results"][0]["value"] == "5"


# -- looking --------------------------------------------------------------------------------


def test_datasets_come_newest_version_first_and_page_by_page(
    api: Api, workspace: Workspace
) -> None:
    for number in range(55):
        accepted(workspace, document(dataset_id=f"set-{number:02d}"))
    accepted(workspace, document(dataset_id="set-00", dataset_version="2"))

    first = api.get(DATASETS)
    second = api.get(f"{DATASETS}?cursor={first['next']}")

    names = [row["name"] for row in first["results"] + second["results"]]
    assert names[:2] == ["set-00", "set-54"]
    assert len(names) == len(set(names)) == 55
    assert first["results"][0]["versions"] == 2
    assert second["next"] is None


def test_datasets_are_searched_and_archived_ones_apart(api: Api, workspace: Workspace) -> None:
    kept = a_version(workspace, document(dataset_id="kept")).dataset
    gone = a_version(workspace, document(dataset_id="gone")).dataset

    archived = api.post(b"", f"{DATASETS}/{gone.pk}/archive")

    assert archived.json()["archived_at"]
    assert [row["id"] for row in api.get(DATASETS)["results"]] == [kept.pk]
    assert [row["id"] for row in api.get(f"{DATASETS}?archived=true")["results"]] == [gone.pk]
    assert api.get(f"{DATASETS}?q=nothing")["results"] == []
    assert api.post(b"", f"{DATASETS}/{gone.pk}/restore").json()["archived_at"] is None


def test_a_version_says_what_it_is(api: Api, workspace: Workspace) -> None:
    version = a_version(workspace, document(record(0), bad_record(1)))

    seen = api.get(f"/api/v1/dataset-versions/{version.pk}")
    listed = api.get(f"{DATASETS}/{version.dataset_id}/versions")

    assert listed["results"] == [seen]
    assert seen["summary"] == {"total_records": 2, "accepted_records": 1, "rejected_records": 1}
    assert (seen["sha256"], seen["header"]["dataset_id"]) == (version.identity, "qa")


def test_records_are_filtered_by_slice_and_text(api: Api, workspace: Workspace) -> None:
    records = f"/api/v1/dataset-versions/{a_version(workspace).pk}/records"

    def found(query: str) -> list[int]:
        return [row["index"] for row in api.get(f"{records}{query}")["results"]]

    assert found("") == [0, 1, 2]
    assert found("?facet=tag=even") == [0, 2]
    assert found("?facet=tag=even&facet=tag=odd") == []
    assert found("?q=q_0001") == [1]
    assert found("?q=QUESTION 2") == [2]
    assert found("?facet=nonsense") == []
    assert found(f"?q={'x' * 60_000}") == []


def test_records_come_whole(api: Api, workspace: Workspace) -> None:
    version = a_version(workspace)

    [first, *_] = api.get(f"/api/v1/dataset-versions/{version.pk}/records")["results"]

    assert first["record"] == record(0)
    assert first["record_sha256"] == version.records.get(ordinal=0).sha256


def test_issues_are_filtered_by_code(api: Api, workspace: Workspace) -> None:
    upload = accepted(workspace, document(record(0), bad_record(1), record(2, extra=1)))
    issues = f"/api/v1/uploads/{upload.pk}/issues"

    codes = [row["code"] for row in api.get(f"{issues}?code=unsupported_field")["results"]]

    assert codes == ["unsupported_field"]
    assert len(api.get(issues)["results"]) == 2


def test_formats_are_named_with_schema_and_template(api: Api) -> None:
    dialect = next(each for each in api.get("/api/v1/formats") if each["id"] == "contract_v1")

    assert dialect["title"] == "Dataset Contract v1"
    assert api.get(dialect["schema_url"]) == FORMATS["contract_v1"].json_schema()
    assert api.post(json.dumps(api.get(dialect["template_url"])).encode()).status_code == 201
    assert api.client.get("/api/v1/formats/csv/schema", headers=api.headers).status_code == 404


def test_what_is_personal_is_redacted_where_the_workspace_asks(
    api: Api, workspace: Workspace
) -> None:
    workspace.redacts_personal_data = True
    workspace.save()
    secret = record(0, input={"prompt": "Write to alice.smith@example.com today"})
    version = a_version(workspace, document(secret))

    [seen] = api.get(f"/api/v1/dataset-versions/{version.pk}/records")["results"]

    assert "alice.smith" not in json.dumps(seen)
    assert "[REDACTED:" in seen["record"]["input"]["prompt"]
