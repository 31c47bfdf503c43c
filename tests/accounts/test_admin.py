"""The Django admin: for staff alone, with a content policy of its own, and on the record."""

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import AuditEvent, User, Workspace
from apps.accounts.services import record
from apps.accounts.services.tokens import NewToken

PAGES = ["user", "workspace", "membership", "apitoken", "invitation", "auditevent"]


@pytest.fixture
def staff(db: None, client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.mark.parametrize("model", PAGES)
def test_staff_can_list_everything_of_people(
    model: str, staff: Client, alices_token: NewToken
) -> None:
    answer = staff.get(reverse(f"admin:accounts_{model}_changelist"))

    assert answer.status_code == 200


def test_an_admin_of_a_workspace_is_not_staff(ada: User, client: Client) -> None:
    client.force_login(ada)

    answer = client.get(reverse("admin:index"))

    assert answer["Location"].startswith(reverse("admin:login"))


def test_the_digest_of_a_token_is_not_shown(staff: Client, alices_token: NewToken) -> None:
    token = alices_token.token

    page = staff.get(reverse("admin:accounts_apitoken_change", args=[token.pk])).content.decode()

    assert token.name in page
    assert token.digest not in page


def test_the_audit_log_is_read_only_here_too(
    staff: Client, workspace: Workspace, alice: User
) -> None:
    event = record(workspace=workspace, actor=alice, verb="renamed", obj=workspace)

    change = staff.post(reverse("admin:accounts_auditevent_change", args=[event.pk]), {"verb": "x"})
    delete = staff.post(reverse("admin:accounts_auditevent_delete", args=[event.pk]))

    assert change.status_code == delete.status_code == 403
    assert AuditEvent.objects.get().verb == "renamed"


def test_nothing_is_deleted_in_the_admin(staff: Client, workspace: Workspace) -> None:
    answer = staff.post(reverse("admin:accounts_workspace_delete", args=[workspace.pk]))

    assert answer.status_code == 403


def test_a_change_in_the_admin_is_noted(staff: Client, workspace: Workspace) -> None:
    address = reverse("admin:accounts_workspace_change", args=[workspace.pk])

    staff.post(address, {"name": "Trial", "slug": "demo"})

    event = AuditEvent.objects.get()
    assert (event.via, event.verb, event.workspace) == ("admin", "changed", workspace)
    assert event.changes == {"fields": [None, ["Name"]]}


def test_a_person_is_made_and_given_a_password_without_it_being_noted(staff: Client) -> None:
    body = {
        "username": "dora",
        "usable_password": "true",
        "password1": "a long winter night",
        "password2": "a long winter night",
    }

    staff.post(reverse("admin:accounts_user_add"), body)

    assert User.objects.get(username="dora").check_password("a long winter night")
    assert "winter" not in str(AuditEvent.objects.values().get())


def test_a_new_password_is_noted_without_its_text(staff: Client, alice: User) -> None:
    body = {
        "usable_password": "true",
        "password1": "a long winter night",
        "password2": "a long winter night",
    }

    staff.post(reverse("admin:auth_user_password_change", args=[alice.pk]), body)

    alice.refresh_from_db()
    assert alice.check_password("a long winter night")
    event = AuditEvent.objects.get()
    assert (event.verb, event.object_label) == ("changed", "alice")
    assert "winter" not in str(event.changes)


def test_only_the_admin_may_run_inline_scripts(staff: Client) -> None:
    admin = staff.get(reverse("admin:index"))["Content-Security-Policy"]
    page = staff.get(reverse("accounts:profile"))["Content-Security-Policy"]

    assert "'unsafe-inline'" in admin
    assert "unsafe" not in page
