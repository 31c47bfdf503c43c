"""Members: roles change, people leave, and an admin always stays."""

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from apps.accounts import services
from apps.accounts.models import AuditEvent, Membership, User, Workspace
from apps.accounts.permissions import Permission, Role
from apps.accounts.services.tokens import NewToken

from .conftest import NOON


def member(user: User) -> Membership:
    return user.memberships.get()


def test_a_changed_role_is_kept_and_noted(bob: User, ada: User) -> None:
    services.change_role(membership=member(bob), role=Role.LEAD, actor=ada)

    assert member(bob).role == Role.LEAD
    event = AuditEvent.objects.get(verb="changed role of")
    assert (event.actor, event.object_id) == (ada, str(bob.pk))
    assert event.changes == {"role": ["reviewer", "lead"]}


def test_the_same_role_again_is_no_change(bob: User, ada: User) -> None:
    services.change_role(membership=member(bob), role=Role.REVIEWER, actor=ada)

    assert not AuditEvent.objects.exists()


def test_the_last_admin_stays_admin(ada: User) -> None:
    with pytest.raises(ValidationError, match="Ada is the last admin of Demo"):
        services.change_role(membership=member(ada), role=Role.LEAD, actor=ada)

    assert member(ada).role == Role.ADMIN


def test_the_last_admin_cannot_be_removed(ada: User) -> None:
    with pytest.raises(ValidationError, match="make somebody else an admin first"):
        services.remove_member(membership=member(ada), actor=ada, now=NOON)

    assert member(ada).role == Role.ADMIN


def test_an_admin_who_is_switched_off_does_not_count(ada: User, alice: User) -> None:
    services.change_role(membership=member(alice), role=Role.ADMIN, actor=ada)
    User.objects.filter(pk=alice.pk).update(is_active=False)

    with pytest.raises(ValidationError, match="last admin"):
        services.remove_member(membership=member(ada), actor=ada, now=NOON)


def test_one_of_two_admins_may_leave(ada: User, alice: User) -> None:
    services.change_role(membership=member(alice), role=Role.ADMIN, actor=ada)

    services.remove_member(membership=member(ada), actor=alice, now=NOON)

    assert not ada.memberships.exists()


def test_who_is_removed_loses_the_tokens_too(
    alice: User, ada: User, alices_token: NewToken
) -> None:
    services.remove_member(membership=member(alice), actor=ada, now=NOON)

    alices_token.token.refresh_from_db()
    assert alices_token.token.revoked_at == NOON
    event = AuditEvent.objects.get(verb="removed")
    assert event.changes == {"role": ["lead", None], "tokens_revoked": [0, 1]}


def test_a_workspace_starts_with_its_admin(alice: User) -> None:
    workspace = services.create_workspace(name="Support Quality", admin=alice, now=NOON, actor=None)

    assert workspace.slug == "support-quality"
    assert workspace.memberships.get().user == alice
    assert AuditEvent.objects.get(workspace=workspace).verb == "created"


@pytest.mark.parametrize("name", ["Demo", "!!!"])
def test_a_workspace_needs_a_name_of_its_own(name: str, workspace: Workspace, ada: User) -> None:
    with pytest.raises(ValidationError, match=r"another name|letter or digit"):
        services.create_workspace(name=name, admin=ada, now=NOON, actor=None)


# -- the page -------------------------------------------------------------------------------


def test_everybody_sees_members_and_what_roles_may_do(
    workspace: Workspace, bob: User, ada: User, client: Client
) -> None:
    client.force_login(bob)

    page = client.get(reverse("accounts:members", args=[workspace.slug])).content.decode()

    assert "ada@example.org" in page
    assert all(permission.label in page for permission in Permission)
    assert "Invite somebody" not in page


def test_an_admin_changes_a_role_on_the_page(
    workspace: Workspace, bob: User, as_ada: Client
) -> None:
    address = reverse("accounts:member-role", args=[workspace.slug, member(bob).pk])

    answer = as_ada.post(address, {"role": "lead"}, follow=True)

    assert member(bob).role == Role.LEAD
    assert "Bob is a lead now." in answer.content.decode()


def test_an_unknown_role_changes_nothing(workspace: Workspace, bob: User, as_ada: Client) -> None:
    address = reverse("accounts:member-role", args=[workspace.slug, member(bob).pk])

    answer = as_ada.post(address, {"role": "owner"}, follow=True)

    assert member(bob).role == Role.REVIEWER
    assert "Choose one of the roles" in answer.content.decode()


def test_the_page_says_why_the_last_admin_stays(
    workspace: Workspace, ada: User, as_ada: Client
) -> None:
    address = reverse("accounts:member-remove", args=[workspace.slug, member(ada).pk])

    answer = as_ada.post(address, follow=True)

    assert "Ada is the last admin of Demo" in answer.content.decode()
    assert member(ada).role == Role.ADMIN


def test_a_change_on_a_page_names_its_request(
    workspace: Workspace, bob: User, as_ada: Client
) -> None:
    address = reverse("accounts:member-remove", args=[workspace.slug, member(bob).pk])

    as_ada.post(address, headers={"x-request-id": "r-7"})

    assert AuditEvent.objects.get(verb="removed").request_id == "r-7"
