"""The doors to the API: tokens, sessions, workspaces, rates; closed by default."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client

from apps.accounts import services
from apps.accounts.models import ApiToken, Membership, User, Workspace
from apps.accounts.permissions import Role
from apps.accounts.services.tokens import NewToken

pytestmark = pytest.mark.urls("tests.accounts.doors_urls")
RUNS = "/api/v1/runs"


@pytest.fixture(autouse=True)
def fresh_minute() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def bearer(token: NewToken) -> dict[str, str]:
    return {"authorization": f"Bearer {token.plaintext}"}


def error(answer: HttpResponse) -> dict[str, Any]:
    body: dict[str, Any] = answer.json()  # type: ignore[attr-defined]
    return body["error"]


# -- who calls ------------------------------------------------------------------------------


def test_a_token_opens_its_workspace_as_bearer_or_api_key(
    alices_token: NewToken, client: Client
) -> None:
    by_bearer = client.get(RUNS, headers=bearer(alices_token))
    by_key = client.get(RUNS, headers={"x-api-key": alices_token.plaintext})

    assert by_bearer.json() == by_key.json() == {"workspace": "demo", "role": "lead"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer nonsense"},
        {"x-api-key": "nonsense"},
        {"x-api-key": "ünsinn"},
        {"authorization": "Basic YWxpY2U6eA=="},
        {"authorization": "Bearer"},
    ],
)
def test_without_a_good_token_the_answer_is_401(
    headers: dict[str, str], db: None, client: Client
) -> None:
    answer = client.get(RUNS, headers=headers)

    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == 'Bearer realm="evalhub"'
    assert error(answer)["code"] == "unauthorized"


def test_an_expired_token_does_not_open(alices_token: NewToken, client: Client) -> None:
    ApiToken.objects.update(expires_at=datetime.now(UTC) - timedelta(seconds=1))

    assert client.get(RUNS, headers=bearer(alices_token)).status_code == 401


def test_a_revoked_token_does_not_open(alices_token: NewToken, alice: User, client: Client) -> None:
    services.revoke_token(token=alices_token.token, actor=alice, now=datetime.now(UTC))

    assert client.get(RUNS, headers=bearer(alices_token)).status_code == 401


def test_the_token_of_somebody_switched_off_does_not_open(
    alices_token: NewToken, alice: User, client: Client
) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)

    assert client.get(RUNS, headers=bearer(alices_token)).status_code == 401


def test_the_token_of_somebody_who_left_finds_nothing(
    alices_token: NewToken, alice: User, client: Client
) -> None:
    alice.memberships.all().delete()

    assert client.get(RUNS, headers=bearer(alices_token)).status_code == 404


def test_the_use_of_a_token_is_noted_once_a_minute(alices_token: NewToken, client: Client) -> None:
    def used_at() -> datetime | None:
        return ApiToken.objects.get().last_used_at

    client.get(RUNS, headers=bearer(alices_token))
    first = used_at()
    client.get(RUNS, headers=bearer(alices_token))
    second = used_at()
    long_ago = datetime.now(UTC) - timedelta(seconds=61)
    ApiToken.objects.update(last_used_at=long_ago)
    client.get(RUNS, headers=bearer(alices_token))
    third = used_at()

    assert first is not None
    assert second == first
    assert third is not None
    assert third > long_ago


# -- which workspace ------------------------------------------------------------------------


def test_a_token_reaches_no_other_workspace_of_its_user(
    alices_token: NewToken, alice: User, charlie: User, client: Client
) -> None:
    elsewhere = charlie.memberships.get().workspace
    Membership.objects.create(workspace=elsewhere, user=alice, role=Role.ADMIN)

    refused = client.get(f"{RUNS}?workspace=elsewhere", headers=bearer(alices_token))
    own = client.get(f"{RUNS}?workspace=demo", headers=bearer(alices_token))

    assert refused.status_code == 404
    assert own.json()["role"] == "lead"


def test_a_session_with_one_workspace_need_not_name_it(alice: User, client: Client) -> None:
    client.force_login(alice)

    assert client.get(RUNS).json() == {"workspace": "demo", "role": "lead"}


def test_a_session_with_several_workspaces_names_one(
    alice: User, charlie: User, client: Client
) -> None:
    elsewhere = charlie.memberships.get().workspace
    Membership.objects.create(workspace=elsewhere, user=alice, role=Role.REVIEWER)
    client.force_login(alice)

    unnamed = client.get(RUNS)
    named = client.get(f"{RUNS}?workspace=elsewhere")

    assert unnamed.status_code == 400
    assert error(unnamed)["details"] == {"workspaces": ["demo", "elsewhere"]}
    assert named.json() == {"workspace": "elsewhere", "role": "reviewer"}


def test_a_session_without_a_workspace_is_told_so(db: None, client: Client) -> None:
    client.force_login(User.objects.create_user("dora"))

    answer = client.get(RUNS)

    assert answer.status_code == 400
    assert "ask an admin for an invitation" in error(answer)["message"]


def test_a_stranger_gets_404(workspace: Workspace, charlie: User, client: Client) -> None:
    client.force_login(charlie)

    assert client.get(f"{RUNS}?workspace=demo").status_code == 404


def test_a_session_that_writes_needs_the_csrf_token(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)

    answer = client.post(RUNS, {"name": "x"}, content_type="application/json")

    assert answer.status_code == 403
    assert "CSRF" in error(answer)["message"]


# -- what they may --------------------------------------------------------------------------


def test_a_role_without_the_permission_gets_403(bob: User, client: Client) -> None:
    client.force_login(bob)

    answer = client.post(RUNS, {"name": "x"}, content_type="application/json")

    assert answer.status_code == 403
    assert error(answer) == {
        "code": "forbidden",
        "message": "You are a reviewer in Demo; this takes a lead or an admin.",
        "details": {},
    }


def test_a_view_that_names_no_permission_is_shut(ada: User, client: Client) -> None:
    client.force_login(ada)

    assert client.get("/api/v1/undeclared").status_code == 403


@pytest.mark.parametrize("method", ["delete", "put", "patch", "options"])
def test_a_method_that_is_not_there_is_405(method: str, ada: User, client: Client) -> None:
    client.force_login(ada)

    answer = getattr(client, method)(RUNS)

    assert answer.status_code == 405
    assert error(answer)["code"] == "invalid_request"
    assert answer["Allow"] == "GET, HEAD, POST"


def test_head_is_a_get_without_its_body(bob: User, client: Client) -> None:
    client.force_login(bob)

    answer = client.head(RUNS)

    assert answer.status_code == 200
    assert answer.content == b""


# -- how often ------------------------------------------------------------------------------


@pytest.fixture
def two_a_minute(settings: LazySettings) -> None:
    settings.REST_FRAMEWORK = {
        **settings.REST_FRAMEWORK,
        "DEFAULT_THROTTLE_RATES": {"user": "2/min"},
    }


def test_every_answer_says_what_is_left(
    two_a_minute: None, alices_token: NewToken, client: Client
) -> None:
    first = client.get(RUNS, headers=bearer(alices_token))
    second = client.get(RUNS, headers=bearer(alices_token))

    assert (first["X-RateLimit-Limit"], first["X-RateLimit-Remaining"]) == ("2", "1")
    assert second["X-RateLimit-Remaining"] == "0"


def test_one_too_many_is_429_and_says_when_to_come_back(
    two_a_minute: None, alices_token: NewToken, client: Client
) -> None:
    answers = [client.get(RUNS, headers=bearer(alices_token)) for _ in range(3)]

    refused = answers[-1]
    details = error(refused)["details"]
    reset_at = datetime.fromisoformat(details.pop("reset_at"))
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert error(refused)["code"] == "rate_limited"
    assert details == {"limit": 2, "remaining": 0, "bucket": "api_key_per_minute"}
    assert int(refused["X-RateLimit-Reset"]) == int(reset_at.timestamp())
    assert 1 <= int(refused["Retry-After"]) <= 60


def test_one_callers_rate_is_not_anothers(
    two_a_minute: None, alices_token: NewToken, alice: User, client: Client
) -> None:
    for _ in range(3):
        client.get(RUNS, headers=bearer(alices_token))
    client.force_login(alice)

    assert client.get(RUNS).status_code == 200
