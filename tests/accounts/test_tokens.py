"""API tokens: shown once, kept as a hash, gone when revoked, expired or out of place."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from apps.accounts import services
from apps.accounts.keys import digest_of
from apps.accounts.models import ApiToken, AuditEvent, User, Workspace
from apps.accounts.services.tokens import NewToken

from .conftest import NOON


def test_only_the_hash_of_a_token_is_kept(alices_token: NewToken) -> None:
    kept = ApiToken.objects.values().get()

    assert kept["digest"] == digest_of(alices_token.plaintext)
    assert alices_token.plaintext not in str(kept)
    assert alices_token.plaintext.startswith(kept["prefix"])


def test_a_token_is_usable_until_it_expires(workspace: Workspace, alice: User) -> None:
    token, _ = services.create_token(
        user=alice,
        workspace=workspace,
        name="ci",
        lifetime=timedelta(days=1),
        now=NOON,
        actor=alice,
    )

    assert token.expires_at == NOON + timedelta(days=1)
    assert ApiToken.objects.usable(NOON).exists()
    assert token.state(NOON) == "active"
    assert not ApiToken.objects.usable(NOON + timedelta(days=1)).exists()
    assert token.state(NOON + timedelta(days=1)) == "expired"


def test_a_revoked_token_is_not_usable_and_revoking_twice_is_noted_once(
    alices_token: NewToken, ada: User
) -> None:
    for _ in range(2):
        services.revoke_token(token=alices_token.token, actor=ada, now=NOON)

    alices_token.token.refresh_from_db()
    assert alices_token.token.state(NOON) == "revoked"
    assert not ApiToken.objects.usable(NOON).exists()
    assert AuditEvent.objects.filter(verb="revoked", actor=ada).count() == 1


def test_a_token_is_only_for_members(workspace: Workspace, charlie: User) -> None:
    with pytest.raises(ValidationError, match="not a member of Demo"):
        services.create_token(
            user=charlie,
            workspace=workspace,
            name="x",
            lifetime=timedelta(days=1),
            now=NOON,
            actor=charlie,
        )


@pytest.mark.parametrize("days", [0, -1, 366])
def test_a_token_lasts_between_a_day_and_a_year(
    days: int, workspace: Workspace, alice: User
) -> None:
    with pytest.raises(ValidationError, match="between 1 and 365 days"):
        services.create_token(
            user=alice,
            workspace=workspace,
            name="x",
            lifetime=timedelta(days=days),
            now=NOON,
            actor=alice,
        )


def test_people_see_their_own_tokens_and_admins_everybodys(
    alices_token: NewToken, alice: User, bob: User, ada: User, charlie: User
) -> None:
    seen = {
        person.username: ApiToken.objects.visible_to(person).exists()
        for person in (alice, bob, ada, charlie)
    }

    assert seen == {"alice": True, "bob": False, "ada": True, "charlie": False}


# -- the page -------------------------------------------------------------------------------


def test_the_page_shows_a_new_token_once(workspace: Workspace, bob: User, client: Client) -> None:
    client.force_login(bob)
    address = reverse("accounts:tokens", args=[workspace.slug])

    made = client.post(address, {"name": "ci", "days": "7"})
    again = client.get(address)

    plaintext = made.context["plaintext"]
    assert plaintext in made.content.decode()
    assert made["Cache-Control"] == "no-store"
    assert plaintext not in again.content.decode()
    token = ApiToken.objects.get(user=bob, name="ci")
    assert timedelta(days=6) < token.expires_at - datetime.now(UTC) <= timedelta(days=7)


def test_somebody_elses_token_cannot_be_revoked_by_a_lead(
    workspace: Workspace, ada: User, alice: User, client: Client
) -> None:
    made = services.create_token(
        user=ada,
        workspace=workspace,
        name="x",
        lifetime=timedelta(days=1),
        now=NOON,
        actor=ada,
    )
    client.force_login(alice)

    answer = client.post(reverse("accounts:token-revoke", args=[workspace.slug, made.token.pk]))

    assert answer.status_code == 404
    made.token.refresh_from_db()
    assert made.token.revoked_at is None


def test_an_admin_revokes_anybodys_token(
    workspace: Workspace, alices_token: NewToken, as_ada: Client
) -> None:
    address = reverse("accounts:token-revoke", args=[workspace.slug, alices_token.token.pk])

    answer = as_ada.post(address, follow=True)

    alices_token.token.refresh_from_db()
    assert alices_token.token.revoked_at is not None
    assert "nightly is revoked" in answer.content.decode()
