"""Invitations: a link that works once, for whoever it was sent to."""

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import AuditEvent, Invitation, User, Workspace
from apps.accounts.permissions import Role
from apps.accounts.services.invitations import LASTS, NewInvitation

from .conftest import NOON

pytestmark = pytest.mark.urls("tests.accounts.doors_urls")
NEWCOMER = {
    "username": "dora",
    "full_name": "Dora Winter",
    "password": "a long winter night",
    "repeated": "a long winter night",
}


@pytest.fixture
def invited(workspace: Workspace, ada: User) -> NewInvitation:
    return services.invite(
        workspace=workspace,
        email=" Dora@Example.org",
        role=Role.LEAD,
        invited_by=ada,
        now=timezone.now(),
    )


def link(invited: NewInvitation) -> str:
    return reverse("accounts:invitation", args=[invited.secret])


def test_only_the_hash_of_the_link_is_kept(invited: NewInvitation) -> None:
    kept = Invitation.objects.values().get()

    assert invited.secret not in str(kept)
    assert kept["email"] == "dora@example.org"


def test_a_second_invitation_ends_the_first(
    invited: NewInvitation, workspace: Workspace, ada: User, client: Client
) -> None:
    services.invite(
        workspace=workspace,
        email="dora@example.org",
        role=Role.REVIEWER,
        invited_by=ada,
        now=timezone.now(),
    )

    assert client.get(link(invited)).status_code == 410
    assert Invitation.objects.unanswered().get().role == Role.REVIEWER


def test_a_member_is_not_invited_again(workspace: Workspace, ada: User, alice: User) -> None:
    with pytest.raises(ValidationError, match=r"alice@example\.org is a member of Demo already"):
        services.invite(
            workspace=workspace,
            email="Alice@example.org",
            role=Role.LEAD,
            invited_by=ada,
            now=NOON,
        )


def test_an_existing_person_joins_with_the_role_of_the_invitation(
    invited: NewInvitation, workspace: Workspace, charlie: User
) -> None:
    services.accept_invitation(invitation=invited.invitation, user=charlie, now=timezone.now())

    assert workspace.memberships.get(user=charlie).role == Role.LEAD
    accepted = Invitation.objects.get()
    assert accepted.accepted_by == charlie
    assert AuditEvent.objects.get(verb="added").object_id == str(charlie.pk)


def test_an_invitation_works_once(invited: NewInvitation, charlie: User, client: Client) -> None:
    services.accept_invitation(invitation=invited.invitation, user=charlie, now=timezone.now())

    with pytest.raises(ValidationError, match="used, revoked or has expired"):
        services.accept_invitation(invitation=invited.invitation, user=charlie, now=timezone.now())
    assert client.get(link(invited)).status_code == 410


def test_an_invitation_expires(invited: NewInvitation, charlie: User) -> None:
    late = invited.invitation.expires_at + timedelta(seconds=1)

    with pytest.raises(ValidationError, match="expired"):
        services.accept_invitation(invitation=invited.invitation, user=charlie, now=late)

    assert invited.invitation.expires_at - timezone.now() < LASTS


def test_a_member_who_follows_a_link_uses_nothing_up(invited: NewInvitation, alice: User) -> None:
    with pytest.raises(ValidationError, match="Alice is a member of Demo already"):
        services.accept_invitation(invitation=invited.invitation, user=alice, now=timezone.now())

    assert Invitation.objects.unanswered().exists()


# -- the pages ------------------------------------------------------------------------------


def test_the_members_page_shows_the_link_once_and_mails_it(
    workspace: Workspace, as_ada: Client
) -> None:
    address = reverse("accounts:members", args=[workspace.slug])

    made = as_ada.post(address, {"email": "dora@example.org", "role": "reviewer"})
    again = as_ada.get(address)

    shown = made.context["link"]
    assert shown in made.content.decode()
    assert made["Cache-Control"] == "no-store"
    assert shown not in again.content.decode()
    assert "dora@example.org" in again.content.decode()
    assert mail.outbox[0].to == ["dora@example.org"]
    assert shown in mail.outbox[0].body


def test_the_link_is_shown_even_if_the_mail_server_is_away(
    workspace: Workspace, as_ada: Client, settings: LazySettings
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9

    made = as_ada.post(
        reverse("accounts:members", args=[workspace.slug]),
        {"email": "dora@example.org", "role": "reviewer"},
    )

    assert made.context["link"] in made.content.decode()
    assert "could not be sent" in made.content.decode()


def test_without_a_mail_server_the_link_is_handed_over(
    workspace: Workspace, as_ada: Client, settings: LazySettings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"

    made = as_ada.post(
        reverse("accounts:members", args=[workspace.slug]),
        {"email": "dora@example.org", "role": "reviewer"},
    )
    page = made.content.decode()

    assert made.context["link"] in page
    assert "No mail server is set up here" in page
    assert "by mail" not in page
    assert made["Cache-Control"] == "no-store"
    assert made.context["link"] not in capsys.readouterr().out


def test_a_member_already_is_told_at_the_field(
    workspace: Workspace, alice: User, as_ada: Client
) -> None:
    answer = as_ada.post(
        reverse("accounts:members", args=[workspace.slug]),
        {"email": "alice@example.org", "role": "reviewer"},
    )

    assert "a member of Demo already" in answer.context["form"].errors["email"][0]


def test_somebody_new_makes_an_account_and_is_signed_in(
    invited: NewInvitation, workspace: Workspace, client: Client
) -> None:
    answer = client.post(link(invited), NEWCOMER)

    dora = User.objects.get(username="dora")
    assert answer["Location"] == reverse("dashboards:overview", args=[workspace.slug])
    assert client.session["_auth_user_id"] == str(dora.pk)
    assert (dora.label, dora.email) == ("Dora Winter", "dora@example.org")
    assert dora.check_password(NEWCOMER["password"])
    assert dora.memberships.get().role == Role.LEAD


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("repeated", "another night", "differ"),
        ("password", "short", "too short"),
        ("username", "ada", "already exists"),
        ("username", "do ra", "valid username"),
    ],
)
def test_what_is_wrong_with_a_new_account_is_said_at_its_field(
    field: str, value: str, message: str, invited: NewInvitation, client: Client
) -> None:
    body = NEWCOMER | {field: value}
    if field == "password":
        body["repeated"] = value

    answer = client.post(link(invited), body)

    assert message in " ".join(answer.context["form"].errors[field])
    assert not User.objects.filter(username="dora").exists()
    assert Invitation.objects.unanswered().exists()


def test_who_is_signed_in_joins_by_one_press(
    invited: NewInvitation, workspace: Workspace, charlie: User, client: Client
) -> None:
    client.force_login(charlie)

    page = client.get(link(invited)).content.decode()
    answer = client.post(link(invited))

    assert "Join as Charlie" in page
    assert answer["Location"] == reverse("dashboards:overview", args=[workspace.slug])
    assert workspace.memberships.filter(user=charlie).exists()


def test_an_unknown_link_says_what_to_do(db: None, client: Client) -> None:
    answer = client.get(reverse("accounts:invitation", args=["nonsense"]))

    assert answer.status_code == 410
    assert "ask whoever invited you" in answer.content.decode()


def test_a_revoked_invitation_is_over(
    invited: NewInvitation, workspace: Workspace, as_ada: Client, client: Client
) -> None:
    address = reverse("accounts:invitation-revoke", args=[workspace.slug, invited.invitation.pk])

    as_ada.post(address)

    assert client.get(link(invited)).status_code == 410
    assert AuditEvent.objects.get(verb="revoked").object_label == "dora@example.org as lead"


@pytest.mark.parametrize("address", ["x" * 243 + "@example.org", "no address"])
def test_an_address_that_no_mail_reaches_is_refused(
    workspace: Workspace, ada: User, address: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        services.invite(
            workspace=workspace,
            email=address,
            role=Role.LEAD,
            invited_by=ada,
            now=NOON,
        )

    assert set(refused.value.message_dict) == {"email"}
    assert not Invitation.objects.exists()


def test_the_form_takes_addresses_of_254_characters(workspace: Workspace, as_ada: Client) -> None:
    page = as_ada.post(
        reverse("accounts:members", args=[workspace.slug]),
        {"email": "x" * 300 + "@x.org", "role": "reviewer"},
    )

    assert "At most 254 characters; it has 306." in page.content.decode()
    assert not Invitation.objects.exists()
