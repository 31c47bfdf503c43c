"""Failures: one envelope for programs, one page for people, no traces for either."""

import logging

import pytest
from django.test import Client

from apps.accounts.models import User

pytestmark = pytest.mark.urls("tests.accounts.doors_urls")


@pytest.fixture
def caller(alice: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    return client


@pytest.mark.parametrize(
    ("failure", "status", "code", "message", "details"),
    [
        ("http404", 404, "not_found", "There is no run r-1.", {}),
        ("denied", 403, "forbidden", "Only leads may.", {}),
        ("invalid", 400, "invalid_request", "The name is taken.", {}),
        ("fields", 400, "invalid_request", "Too long.", {"fields": {"name": ["Too long."]}}),
        ("conflict", 409, "conflict", "Taken by other bytes.", {"id": "d"}),
        ("too-big", 413, "payload_too_large", "The request is too large.", {}),
        ("unavailable", 503, "service_unavailable", "Try later.", {}),
    ],
)
def test_every_failure_of_the_api_has_the_same_shape(
    failure: str,
    status: int,
    code: str,
    message: str,
    details: dict[str, object],
    caller: Client,
) -> None:
    answer = caller.get(f"/api/v1/failing/{failure}", headers={"x-request-id": "r-1"})

    assert answer.status_code == status
    assert answer.json() == {
        "error": {"code": code, "message": message, "details": details},
        "request_id": "r-1",
    }
    assert answer["x-request-id"] == "r-1"


@pytest.mark.parametrize(("failure", "seconds"), [("unavailable", "9"), ("throttled", "3")])
def test_an_answer_says_when_to_try_again(failure: str, seconds: str, caller: Client) -> None:
    answer = caller.get(f"/api/v1/failing/{failure}")

    assert answer["Retry-After"] == seconds


def test_a_surprise_is_logged_and_not_shown(
    caller: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, logger="apps.web.errors"):
        answer = caller.get("/api/v1/failing/surprise")

    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal_error"
    assert "secret detail" not in answer.content.decode()
    assert "secret detail" in caplog.text


@pytest.mark.parametrize(
    ("body", "content_type", "status", "message"),
    [
        ("{", "application/json", 400, "The body is not valid JSON"),
        ("<x/>", "application/xml", 415, "Unsupported media type"),
        ("{}", "application/json", 400, "name: This field is required."),
        ("[]", "application/json", 400, "Invalid data. Expected a dictionary, but got list."),
    ],
)
def test_a_body_that_does_not_fit_is_refused(
    body: str, content_type: str, status: int, message: str, caller: Client
) -> None:
    answer = caller.post("/api/v1/runs", body, content_type=content_type)

    assert answer.status_code == status
    assert answer.json()["error"]["code"] == "invalid_request"
    assert answer.json()["error"]["message"].startswith(message)


def test_the_fields_that_failed_are_listed(caller: Client) -> None:
    answer = caller.post("/api/v1/runs", "{}", content_type="application/json")

    assert answer.json()["error"]["details"] == {"fields": {"name": ["This field is required."]}}


def test_an_unknown_address_of_the_api_answers_in_json(db: None, client: Client) -> None:
    answer = client.get("/api/v1/nonsense")

    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == "There is nothing at /api/v1/nonsense."
    assert answer.json()["request_id"] == answer["x-request-id"]


def test_a_crash_outside_the_views_of_the_api_answers_in_json(caller: Client) -> None:
    answer = caller.get("/api/broken")

    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal_error"


@pytest.mark.parametrize(("address", "status"), [("/nonsense/", 404), ("/broken/", 500)])
def test_people_get_a_page(address: str, status: int, caller: Client) -> None:
    answer = caller.get(address)

    assert answer.status_code == status
    assert answer["Content-Type"].startswith("text/html")
    assert "secret detail" not in answer.content.decode()


def test_what_is_hidden_from_who_labels_blind_is_one_of_the_reasons(caller: Client) -> None:
    page = caller.get("/nonsense/").content.decode()

    assert "it is hidden while you label blind" in page
