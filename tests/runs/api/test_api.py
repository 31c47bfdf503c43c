"""Starting runs over the API, to the letter of the contract."""

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.artifacts.models import Blob
from apps.datasets.models import Dataset, DatasetVersion, Upload
from apps.datasets.uploading.reading import MAX_BYTES
from apps.grading.rules import CriteriaJudge
from apps.grading.services import create_contract
from apps.grading.spec import ContractSpec
from apps.runs.models import Run
from apps.targets.services import archive_target
from tests import samples
from tests.datasets.documents import bad_record, document, record

RUNS = "/api/v1/runs"
TO_MODEL = f"{RUNS}?target=model&contract=exact"
RUN_ID = re.compile(r"run_[0-7][0-9A-HJKMNP-TV-Z]{25}")
Post = Callable[..., HttpResponse]


@pytest.fixture(autouse=True)
def parties(workspace: Workspace) -> None:
    samples.make_target(workspace)
    samples.make_contract(workspace)


@pytest.fixture
def post(workspace: Workspace, alice: User, client: Client) -> Post:
    """Alice's POST of a document; `to` is the address."""
    bearer = samples.bearer_of(alice, workspace)

    def post(content: bytes = b"", to: str = TO_MODEL, **more: Any) -> HttpResponse:
        more.setdefault("content_type", "application/json")
        headers = {**bearer, **more.pop("headers", {})}
        return client.post(to, content, headers=headers, **more)  # type: ignore[return-value]

    return post


def body_of(answer: HttpResponse) -> dict[str, Any]:
    body: dict[str, Any] = answer.json()  # type: ignore[attr-defined]
    return body


def error_of(answer: HttpResponse) -> dict[str, Any]:
    error: dict[str, Any] = body_of(answer)["error"]
    return error


# -- what is accepted -----------------------------------------------------------------------


def test_a_good_document_is_accepted_and_started(post: Post, alice: User) -> None:
    answer = post(document())

    run = Run.objects.get()
    assert answer.status_code == 202
    assert RUN_ID.fullmatch(run.pk)
    assert body_of(answer) == {
        "run_id": run.pk,
        "status": "accepted",
        "summary": {"total_records": 3, "accepted_records": 3, "rejected_records": 0},
        "record_errors": [],
        "request_id": answer["x-request-id"],
    }
    assert UUID(answer["x-request-id"]).version == 4
    assert (run.state, run.created_by, run.request_id) == ("queued", alice, answer["x-request-id"])


def test_records_that_are_wrong_are_listed_and_the_others_run(post: Post) -> None:
    answer = post(document(record(0), record(1, input={"prompt": 5}), record(2)))

    run = Run.objects.get()
    assert answer.status_code == 202
    assert list(body_of(answer)) == [
        "run_id",
        "status",
        "summary",
        "record_errors",
        "request_id",
    ]
    assert body_of(answer) == {
        "run_id": run.pk,
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
    assert (run.total_records, run.valid_records) == (3, 2)


def test_what_was_asked_for_is_what_runs(post: Post) -> None:
    rows = [record(number) for number in range(12)]
    wishes = "&name=Nightly&note=Why%20not&pilot=true&cost_cap=2.5"

    answer = post(document(*rows), TO_MODEL + wishes)

    run = Run.objects.get()
    assert answer.status_code == 202
    assert (run.name, run.note, run.cost_cap, run.planned) == ("Nightly", "Why not", 2.5, 10)
    assert str(run.contract_version) == "exact@1"
    assert run.targets.get().target_version.target.name == "model"


def test_a_version_that_stands_is_run_with_its_own_record_errors(
    post: Post, workspace: Workspace
) -> None:
    version = samples.make_version(workspace, 2, rejected=1)

    answer = post(to=f"/api/v1/dataset-versions/{version.pk}/runs?target=model")

    body = body_of(answer)
    assert answer.status_code == 202
    assert body["status"] == "accepted_with_record_errors"
    assert body["summary"] == {"total_records": 3, "accepted_records": 2, "rejected_records": 1}
    assert [error["index"] for error in body["record_errors"]] == [2]
    assert Run.objects.get(pk=body["run_id"]).contract_version is None


def test_the_same_document_again_is_another_run_of_the_same_version(post: Post) -> None:
    first, again = post(document()), post(document())

    assert body_of(first)["run_id"] != body_of(again)["run_id"]
    assert DatasetVersion.objects.count() == 1


# -- what is refused ------------------------------------------------------------------------


def test_when_all_records_fail_nothing_is_started_or_kept(post: Post) -> None:
    answer = post(document(*[bad_record(number) for number in range(4)]))

    assert answer.status_code == 400
    assert body_of(answer) == {
        "error": {
            "code": "invalid_request",
            "message": "All records failed validation",
            "details": {"rejected_records": 4, "accepted_records": 0},
        },
        "request_id": answer["x-request-id"],
    }
    assert not Run.objects.exists()
    assert not Dataset.objects.exists()


@pytest.mark.parametrize(
    ("content", "more", "status", "code"),
    [
        (b"", {}, 400, "invalid_request"),
        (b"[]", {}, 400, "invalid_request"),
        (b"[" * 100_000, {}, 400, "invalid_request"),
        (document(schema_version="2.0"), {}, 400, "invalid_request"),
        (document(records=[]), {}, 400, "invalid_request"),
        (document(), {"content_type": "text/csv"}, 415, "invalid_request"),
        (b"{}", {"CONTENT_LENGTH": str(MAX_BYTES + 1)}, 413, "payload_too_large"),
    ],
    ids=[
        "empty",
        "list",
        "deep",
        "schema version",
        "no records",
        "content type",
        "too large",
    ],
)
def test_a_document_that_is_refused_starts_nothing(
    post: Post, content: bytes, more: dict[str, Any], status: int, code: str
) -> None:
    answer = post(content, **more)

    assert (answer.status_code, error_of(answer)["code"]) == (status, code)
    assert set(error_of(answer)) == {"code", "message", "details"}
    assert body_of(answer)["request_id"] == answer["x-request-id"]
    assert not Run.objects.exists()
    assert not Dataset.objects.exists()


def test_a_version_taken_by_other_bytes_is_a_conflict_and_no_run(post: Post) -> None:
    post(document())

    answer = post(document(record(9)))

    assert (answer.status_code, error_of(answer)["code"]) == (409, "conflict")
    assert "existing_version_id" in error_of(answer)["details"]
    assert Run.objects.count() == 1


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("", "Name the target: ?target=NAME."),
        ("?target=", "Name the target: ?target=NAME."),
        ("?target=nobody", "There is no target 'nobody' here. There is: model."),
        (
            "?target=model&contract=strict",
            "There is no grading contract 'strict' here. There is: exact.",
        ),
        (
            "?target=model&contract=exact@7",
            "There is no grading contract 'exact@7' here. There is: exact.",
        ),
        ("?target=model&judge=solomon", "There is no target 'solomon' here. There is: model."),
        ("?target=model&cost_cap=0", "cost_cap should be greater than 0."),
        ("?target=model&cost_cap=nan", "cost_cap should be a finite number."),
        ("?target=model&pilot=perhaps", "pilot should be a valid boolean"),
        (f"?target=model&name={'x' * 201}", "name should have at most 200 characters."),
        (f"?target=model&idempotency_key={'x' * 129}", "should have at most 128 characters."),
        ("?target=mo%00del", "The address holds a null character (%00)."),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_run_is_said_before_anything_is_stored(
    post: Post, query: str, sentence: str
) -> None:
    answer = post(document(), RUNS + query)

    assert (answer.status_code, error_of(answer)["code"]) == (400, "invalid_request")
    assert sentence in error_of(answer)["message"]
    assert not Upload.objects.exists()
    assert not Blob.objects.exists()


def test_a_contract_that_asks_a_judge_needs_one_before_anything_is_stored(
    post: Post, workspace: Workspace
) -> None:
    spec = ContractSpec(rules=(CriteriaJudge(name="judge", default_criteria=("overall",)),))
    create_contract(workspace=workspace, name="judged", spec=spec, by=None, now=timezone.now())

    answer = post(document(), f"{RUNS}?target=model&contract=judged")

    assert answer.status_code == 400
    assert "choose the target that judges" in error_of(answer)["message"]
    assert not Upload.objects.exists()


def test_an_archived_target_cannot_be_asked(post: Post, workspace: Workspace) -> None:
    archive_target(target=samples.make_target(workspace), by=None, now=timezone.now())

    answer = post(document())

    assert error_of(answer)["message"] == "There is no target 'model' here. There is: none yet."


# -- asking twice ---------------------------------------------------------------------------


def test_the_same_key_with_the_same_order_is_the_same_run(post: Post) -> None:
    first = post(document(), f"{TO_MODEL}&idempotency_key=k1")

    again = post(document(), f"{TO_MODEL}&idempotency_key=k1")

    assert again.status_code == 202
    assert body_of(again)["run_id"] == body_of(first)["run_id"]
    assert Run.objects.count() == 1


def test_the_same_key_with_another_order_is_a_conflict(post: Post) -> None:
    first = post(document(), f"{TO_MODEL}&idempotency_key=k1")

    answer = post(document(), f"{TO_MODEL}&idempotency_key=k1&pilot=true")

    assert (answer.status_code, error_of(answer)["code"]) == (409, "conflict")
    assert body_of(first)["run_id"] in error_of(answer)["message"]
    assert Run.objects.count() == 1


def test_the_callers_request_id_comes_back(post: Post) -> None:
    mine = post(document(), headers={"x-request-id": "nightly-17"})
    hostile = post(document(), headers={"x-request-id": "a b\x7f" + "c" * 100})

    assert body_of(mine)["request_id"] == mine["x-request-id"] == "nightly-17"
    assert UUID(hostile["x-request-id"])
