"""A reviewer's own page: their queues, what to mend and to settle."""

from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.labeling.models import Breach, Campaign, Item, Review
from tests.labeling.at_the_desk import opened
from tests.labeling.building import a_campaign
from tests.labeling.fake_desk import FakeDesk
from tests.labeling.members.own_pages import campaign, desk, page

__all__ = ["campaign", "desk"]


def test_a_reviewer_sees_their_queue_and_the_guidelines(
    client: Client, campaign: Campaign, bob: User
) -> None:
    shown = page(client, bob)

    assert "Spring labels" in shown
    assert "0 of 4" in shown
    assert "Be kind." in shown
    assert "Pace: none yet" in shown
    assert reverse("labeling:mine", args=["demo"]) in shown.split("</nav>")[0]


def test_the_page_asks_for_what_waits_until_nothing_is_open(
    client: Client, campaign: Campaign, bob: User
) -> None:
    polled = f'hx-get="{reverse("labeling:mine", args=["demo"])}"'
    assert polled in page(client, bob)
    Campaign.objects.update(state=Campaign.State.CLOSED)

    answer = client.get(
        reverse("labeling:mine", args=["demo"]), headers={"hx-request": "true"}
    ).content.decode()

    assert answer.lstrip().startswith('<div id="waiting"')
    assert polled not in answer


def test_the_desk_is_not_asked_for_it(
    client: Client, campaign: Campaign, desk: FakeDesk, bob: User
) -> None:
    desk.calls.clear()

    page(client, bob)

    assert desk.calls == []


def test_who_is_asked_nothing_reads_what_will_stand_here(
    client: Client, workspace: Workspace, bob: User
) -> None:
    assert "Nothing waits for you" in page(client, bob)


def test_a_campaign_that_others_label_in_is_not_shown(
    client: Client, workspace: Workspace, alice: User, bob: User, desk: FakeDesk
) -> None:
    opened(a_campaign(workspace, alice, alice), desk)

    assert "Spring labels" not in page(client, bob)


def test_a_campaign_that_is_closed_waits_for_nobody(
    client: Client, campaign: Campaign, bob: User
) -> None:
    Campaign.objects.update(state=Campaign.State.CLOSED)

    assert "Spring labels" not in page(client, bob)


def test_who_settles_sees_how_much_waits_even_after_the_end(
    client: Client, campaign: Campaign, alice: User, bob: User
) -> None:
    question = campaign.questions.get()
    for item in Item.objects.all()[:2]:
        Review.objects.create(item=item, question=question, reason=Review.Reason.SPLIT)
    Campaign.objects.update(state=Campaign.State.CLOSED)

    assert "2 disagreements" in page(client, bob)
    assert "2 disagreements" not in page(client, alice)


def test_what_contradicts_itself_is_shown_to_whom_it_belongs(
    client: Client, campaign: Campaign, alice: User, bob: User
) -> None:
    Breach.objects.create(
        item=Item.objects.all()[0],
        annotator="bob",
        user=bob,
        task_type="grounding",
        constraint="one",
        severity="block",
        message="Yes here needs yes there <b>.",
    )

    theirs, others = page(client, bob), page(client, alice)

    assert "Yes here needs yes there &lt;b&gt;." in theirs
    assert 'name="status" value="submitted"' in theirs
    assert "To mend" not in others


def test_a_stranger_finds_nothing(client: Client, campaign: Campaign, charlie: User) -> None:
    client.force_login(charlie)

    for name in ("mine", "desk"):
        assert client.get(reverse(f"labeling:{name}", args=["demo"])).status_code == 404
    for name in ("enter", "account"):
        assert client.post(reverse(f"labeling:{name}", args=["demo"])).status_code == 404


def test_the_page_may_send_its_forms_on_to_the_desk_and_nowhere_else(
    client: Client, campaign: Campaign, bob: User
) -> None:
    client.force_login(bob)

    answer = client.get(reverse("labeling:mine", args=["demo"]), headers={"host": "localhost:8000"})

    policy = answer["Content-Security-Policy"]
    assert "form-action 'self' http://localhost:7006;" in f"{policy};"
