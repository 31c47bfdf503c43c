"""`evalhub token` and `evalhub user`."""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.accounts.keys import digest_of
from apps.accounts.models import ApiToken, AuditEvent, Membership, User, Workspace
from apps.accounts.permissions import Role
from apps.accounts.services.tokens import NewToken


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_a_token_is_made_without_naming_the_only_workspace(alice: User) -> None:
    plaintext = run("token", "create", "--user", "alice", "--days", "7").strip()

    token = ApiToken.objects.get(digest=digest_of(plaintext))
    assert token.user == alice
    assert timedelta(days=6) < token.expires_at - datetime.now(UTC) <= timedelta(days=7)
    assert AuditEvent.objects.get().actor_label == "the command"


def test_a_token_as_json_says_all_of_it(alice: User) -> None:
    made = json.loads(run("token", "create", "--user", "alice", "--name", "ci", "--json"))

    assert ApiToken.objects.get(digest=digest_of(made["token"])).name == "ci"
    assert (made["user"], made["workspace"], made["state"]) == ("alice", "demo", "active")


def test_several_workspaces_must_be_named(alice: User, charlie: User) -> None:
    elsewhere = charlie.memberships.get().workspace
    Membership.objects.create(workspace=elsewhere, user=alice, role=Role.LEAD)

    with pytest.raises(CommandError, match=r"name one with --workspace \(demo, elsewhere\)"):
        run("token", "create", "--user", "alice")
    run("token", "create", "--user", "alice", "--workspace", "elsewhere")

    assert ApiToken.objects.get().workspace == elsewhere


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--user", "nobody"], "no active user “nobody”"),
        (["--user", "alice", "--workspace", "nowhere"], "no workspace “nowhere”"),
        (["--user", "alice", "--days", "0"], "between 1 and 365 days"),
    ],
)
def test_what_does_not_fit_is_one_sentence(arguments: list[str], message: str, alice: User) -> None:
    with pytest.raises(CommandError, match=message):
        run("token", "create", *arguments)

    assert not ApiToken.objects.exists()


def test_tokens_are_listed_without_their_text_and_revoked(alices_token: NewToken) -> None:
    number = str(alices_token.token.pk)

    before = run("token", "list")
    run("token", "revoke", number)
    after = json.loads(run("token", "list", "--user", "alice", "--json"))

    assert "active" in before
    assert alices_token.plaintext not in before
    assert [facts["state"] for facts in after] == ["revoked"]


def test_revoking_what_is_not_there_says_so(db: None) -> None:
    with pytest.raises(CommandError, match="There is no token 7"):
        run("token", "revoke", "7")


# -- people ---------------------------------------------------------------------------------


def test_the_first_person_gets_a_workspace_and_the_administration(db: None) -> None:
    said = run("user", "create", "ada", "--role", "admin")

    ada = User.objects.get(username="ada")
    password = said.split("Password: ")[1].split()[0]
    assert ada.check_password(password)
    assert ada.is_staff
    assert ada.is_superuser
    assert ada.memberships.get().role == Role.ADMIN


def test_the_first_person_is_an_admin(db: None) -> None:
    with pytest.raises(CommandError, match="make its admin first"):
        run("user", "create", "bob", "--role", "reviewer")

    assert not User.objects.exists()


def test_later_people_join_the_only_workspace_and_run_nothing_else(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DORAS_PASSWORD", "a long winter night")

    said = run("user", "create", "dora", "--role", "lead", "--password-env", "DORAS_PASSWORD")

    dora = User.objects.get(username="dora")
    assert dora.check_password("a long winter night")
    assert "winter" not in said
    assert not dora.is_staff
    assert dora.memberships.get().role == Role.LEAD


def test_a_person_who_cannot_be_made_leaves_nothing_behind(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEAK", "12345")

    with pytest.raises(CommandError, match="already exists"):
        run("user", "create", "alice", "--role", "lead")
    with pytest.raises(CommandError, match="too short"):
        run("user", "create", "dora", "--role", "lead", "--password-env", "WEAK")
    with pytest.raises(CommandError, match="ABSENT is empty"):
        run("user", "create", "dora", "--role", "lead", "--password-env", "ABSENT")

    assert User.objects.count() == 1


def test_people_are_listed_with_their_roles(alice: User, bob: User) -> None:
    assert run("user", "list").splitlines() == ["alice  demo  lead", "bob  demo  reviewer"]
