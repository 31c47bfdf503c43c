"""Who may start and see runs over the API: roles, strangers, and tokens that are no longer good."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import ApiToken, User, Workspace
from apps.runs.models import Run
from tests import samples

RUNS = "/api/v1/runs"


def test_a_reviewer_may_not_start_and_a_stranger_finds_nothing(
    workspace: Workspace, bob: User, charlie: User, client: Client
) -> None:
    version = samples.make_version(workspace)
    address = f"/api/v1/dataset-versions/{version.pk}/runs?target=model"
    elsewhere = charlie.memberships.get().workspace

    of_bob = client.post(address, headers=samples.bearer_of(bob, workspace))
    of_charlie = client.post(address, headers=samples.bearer_of(charlie, elsewhere))

    assert (of_bob.status_code, of_bob.json()["error"]["code"]) == (403, "forbidden")
    assert (of_charlie.status_code, of_charlie.json()["error"]["code"]) == (404, "not_found")
    assert not Run.objects.exists()


def _expired(token: ApiToken) -> None:
    ApiToken.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))


def _revoked(token: ApiToken) -> None:
    services.revoke_token(token=token, actor=None, now=timezone.now())


def _of_somebody_switched_off(token: ApiToken) -> None:
    User.objects.filter(pk=token.user_id).update(is_active=False)


def _of_another_text(token: ApiToken) -> None:
    ApiToken.objects.filter(pk=token.pk).update(digest="0" * 64)


@pytest.mark.parametrize("spoil", [_expired, _revoked, _of_somebody_switched_off, _of_another_text])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_token_that_is_no_longer_good_starts_and_shows_nothing(
    workspace: Workspace,
    alice: User,
    client: Client,
    method: str,
    spoil: Callable[[ApiToken], None],
) -> None:
    bearer = samples.bearer_of(alice, workspace)
    key = {"x-api-key": bearer["authorization"].removeprefix("Bearer ")}
    spoil(ApiToken.objects.get())

    answers = [
        getattr(client, method)(f"{RUNS}?target=model", headers=headers)
        for headers in (bearer, key)
    ]

    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].json()["error"]["code"] == "unauthorized"
    assert not Run.objects.exists()


def test_a_token_opens_its_own_workspace_alone(
    workspace: Workspace, alice: User, charlie: User, client: Client
) -> None:
    """Alice is a member of both; her token is not."""
    elsewhere = charlie.memberships.get().workspace
    elsewhere.memberships.create(user=alice, role="lead")
    run = samples.started_run(workspace, alice)
    bearer = samples.bearer_of(alice, elsewhere)

    by_id = client.get(f"{RUNS}/{run.pk}", headers=bearer)
    by_slug = client.get(f"{RUNS}?workspace={workspace.slug}", headers=bearer)

    assert (by_id.status_code, by_slug.status_code) == (404, 404)
    assert client.get(RUNS, headers=bearer).json()["results"] == []
