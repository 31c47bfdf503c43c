"""Accounts at the desk: made, kept, handed over once, shut out."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone
from pydantic import SecretStr

from apps.accounts.models import AuditEvent, Membership, User, Workspace
from apps.accounts.permissions import Role
from apps.labeling.desk import desks
from apps.labeling.desk.protocol import DeskDown, DeskRefused
from apps.labeling.members import people
from apps.labeling.models import Campaign, DeskAccount
from evalhub.desk import Argilla
from tests.labeling.at_the_desk import looked, opened
from tests.labeling.building import a_campaign
from tests.labeling.fake_desk import FakeDesk
from tests.runs.conftest import again

HOSTED = Argilla(mode="hosted", url="http://labels.example", owner_key=SecretStr("key"))


@pytest.fixture
def desk() -> FakeDesk:
    return FakeDesk()


@pytest.fixture
def campaign(workspace: Workspace, alice: User, bob: User) -> Campaign:
    return a_campaign(workspace, alice, alice, bob)


def inside(campaign: Campaign, desk: FakeDesk) -> set[str]:
    ids = desk.workspaces[campaign.desk_name]
    return {desk.accounts[person_id].username for person_id in ids}


def hand_over(account: DeskAccount, desk: FakeDesk, again: bool = False) -> str:
    workspace = account.user.memberships.get().workspace
    return people.hand_over(
        account, desk, again=again, workspace=workspace, now=timezone.now(), via="page"
    )


def test_exactly_the_people_of_a_campaign_are_let_in(campaign: Campaign, desk: FakeDesk) -> None:
    people.let_in(campaign, desk)

    assert inside(campaign, desk) == {"alice", "bob"}
    assert set(DeskAccount.objects.values_list("username", flat=True)) == {"alice", "bob"}


def test_letting_in_twice_makes_nobody_twice(campaign: Campaign, desk: FakeDesk) -> None:
    people.let_in(campaign, desk)
    people.let_in(campaign, desk)

    assert len(desk.accounts) == DeskAccount.objects.count() == 2


@pytest.mark.parametrize("calls", range(3))
def test_a_desk_that_goes_down_in_the_middle_is_gone_on_with(
    campaign: Campaign, desk: FakeDesk, calls: int
) -> None:
    desk.down_after = calls
    with pytest.raises(DeskDown):
        people.let_in(campaign, desk)
    desk.down_after, desk.down = None, False

    people.let_in(campaign, desk)

    assert inside(campaign, desk) == {"alice", "bob"}
    assert all(account.made_here for account in DeskAccount.objects.all())


def _leaves_the_campaign(campaign: Campaign, user: User) -> None:
    campaign.assignments.filter(user=user).delete()


def _leaves_the_workspace(campaign: Campaign, user: User) -> None:
    Membership.objects.filter(user=user, workspace=campaign.workspace).delete()


def _is_deactivated(campaign: Campaign, user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def test_an_archived_workspace_shuts_everybody_out(campaign: Campaign, desk: FakeDesk) -> None:
    people.let_in(campaign, desk)

    Workspace.objects.filter(pk=campaign.workspace_id).update(archived_at=timezone.now())
    people.shut_out(campaign, desk)

    assert inside(campaign, desk) == set()


@pytest.mark.parametrize("leave", [_leaves_the_campaign, _leaves_the_workspace, _is_deactivated])
def test_who_leaves_is_shut_out(campaign: Campaign, desk: FakeDesk, bob: User, leave: Any) -> None:
    people.let_in(campaign, desk)

    leave(campaign, bob)
    people.shut_out(campaign, desk)

    assert inside(campaign, desk) == {"alice"}


def test_a_member_of_another_workspace_alone_is_not_let_in(
    campaign: Campaign, desk: FakeDesk, charlie: User
) -> None:
    campaign.assignments.create(user=charlie)

    people.let_in(campaign, desk)

    assert inside(campaign, desk) == {"alice", "bob"}


def test_nobody_stays_in_a_campaign_that_is_closed(campaign: Campaign, desk: FakeDesk) -> None:
    people.let_in(campaign, desk)
    campaign.state = Campaign.State.CLOSED

    people.shut_out(campaign, desk)

    assert inside(campaign, desk) == set()


def test_a_name_of_another_alphabet_is_made_to_fit(workspace: Workspace, desk: FakeDesk) -> None:
    user = User.objects.create_user("Jürgen Müller+x@example.org")

    account = people.account_of(user, desk)

    assert account.username == "Jurgen-Muller+x@example.org"


def test_two_members_who_would_be_called_alike_stay_two(db: None, desk: FakeDesk) -> None:
    users = [User.objects.create_user(name) for name in ("jurgen", "jürgen", "jürgën")]

    accounts = [people.account_of(user, desk) for user in users]

    assert [account.username for account in accounts] == ["jurgen", "jurgen-2", "jurgen-3"]
    assert len({account.argilla_id for account in accounts}) == 3


def test_on_our_own_server_nobody_becomes_its_owner_by_their_name(db: None, desk: FakeDesk) -> None:
    owner = desk.had("evalhub")
    impostor = User.objects.create_user("evalhub")

    account = people.account_of(impostor, desk)

    assert account.username == "evalhub-2"
    assert account.argilla_id != owner


def test_on_another_server_a_name_that_was_there_is_used_and_never_handed_over(
    bob: User, desk: FakeDesk, settings: Any
) -> None:
    settings.ARGILLA = HOSTED
    before = desk.had("bob")

    account = people.account_of(bob, desk)

    assert (account.argilla_id, account.made_here) == (before, False)
    with pytest.raises(ValidationError, match="before EvalHub"):
        hand_over(account, desk, again=True)
    assert "set_password" not in desk.calls


def test_a_name_of_another_server_that_was_changed_there_is_the_same_person(
    bob: User, desk: FakeDesk, settings: Any
) -> None:
    settings.ARGILLA = HOSTED
    before = desk.had("bob")
    people.account_of(bob, desk)

    desk.rename("bob", "robert")
    account = people.account_of(bob, desk)

    assert (account.argilla_id, account.username) == (before, "bob")
    assert len(desk.accounts) == 1


def test_who_is_renamed_here_is_so_in_argilla_after_the_next_sync(
    workspace: Workspace, alice: User, bob: User, desk: FakeDesk
) -> None:
    campaign = opened(a_campaign(workspace, alice, alice, bob), desk)
    names = {account.username: account for account in desk.accounts.values()}
    User.objects.filter(pk=bob.pk).update(first_name="Robert")

    with desks.use(desk):
        looked(campaign)

    assert {name: each.name for name, each in names.items()} == {"alice": "Alice", "bob": "Robert"}


@pytest.mark.parametrize("error", [DeskRefused, DeskDown])
def test_argilla_telling_no_names_holds_up_no_sync(
    workspace: Workspace,
    alice: User,
    desk: FakeDesk,
    error: type[Exception],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def people() -> None:
        raise error("Not now.")

    campaign = opened(a_campaign(workspace, alice), desk)
    monkeypatch.setattr(desk, "people", people)

    with desks.use(desk):
        step = looked(campaign)

    assert again(campaign).synced_at is not None
    assert step.error == ""


def test_a_campaign_that_asks_nobody_has_no_names_to_keep(
    workspace: Workspace, alice: User, desk: FakeDesk
) -> None:
    campaign = opened(a_campaign(workspace, alice), desk)
    Campaign.objects.update(state=Campaign.State.CLOSED)

    with desks.use(desk):
        looked(campaign)

    assert "people" not in desk.calls


def test_an_account_is_handed_over_once(bob: User, desk: FakeDesk) -> None:
    account = people.account_of(bob, desk)

    password = hand_over(account, desk)

    assert desk.accounts[account.argilla_id].password == password
    assert len(password) >= 16
    account.refresh_from_db()
    with pytest.raises(ValidationError, match="handed over already"):
        hand_over(account, desk)
    assert desk.accounts[account.argilla_id].password == password


def test_two_who_ask_at_the_same_moment_get_one_password(bob: User, desk: FakeDesk) -> None:
    account = people.account_of(bob, desk)
    stale = DeskAccount.objects.get(pk=account.pk)
    hand_over(account, desk)

    with pytest.raises(ValidationError, match="handed over already"):
        hand_over(stale, desk)


def test_a_new_password_is_made_when_asked_for_and_noted(bob: User, desk: FakeDesk) -> None:
    account = people.account_of(bob, desk)
    first = hand_over(account, desk)
    account.refresh_from_db()

    second = hand_over(account, desk, again=True)

    assert desk.accounts[account.argilla_id].password == second != first
    verbs = AuditEvent.objects.order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["desk.handed_over", "desk.password_renewed"]


def test_a_desk_that_is_down_hands_nothing_over(bob: User, desk: FakeDesk) -> None:
    account = people.account_of(bob, desk)
    desk.down = True

    with pytest.raises(DeskDown):
        hand_over(account, desk)

    account.refresh_from_db()
    assert account.handed_over_at is None
    assert not AuditEvent.objects.exists()


def test_no_password_is_kept_anywhere_of_ours(bob: User, desk: FakeDesk) -> None:
    account = people.account_of(bob, desk)

    password = hand_over(account, desk)

    kept = [*DeskAccount.objects.values_list(), *AuditEvent.objects.values_list()]
    assert password not in repr(kept)


def test_a_server_that_was_made_anew_gets_its_people_again(
    campaign: Campaign, desk: FakeDesk
) -> None:
    people.let_in(campaign, desk)
    anew = FakeDesk()

    people.let_in(campaign, anew)

    assert inside(campaign, anew) == {"alice", "bob"}


def test_an_admin_labels_as_well(workspace: Workspace, alice: User, ada: User) -> None:
    campaign = a_campaign(workspace, alice, ada)

    assert list(people.members_of(campaign)) == [ada]
    assert ada.memberships.get().role == Role.ADMIN
