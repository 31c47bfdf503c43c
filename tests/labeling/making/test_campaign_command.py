"""`evalhub campaign`: from a run to answers, without a worker."""

from pathlib import Path

import pytest

from apps.accounts.models import User, Workspace
from apps.labeling.making.creating import NOWHERE
from apps.labeling.models import Annotation, Campaign
from apps.labeling.sending.preparing import source_of
from tests.commands import evalhub
from tests.datasets.pairs import a_pair, pairs_csv, pairs_version
from tests.labeling.building import a_campaign, a_run
from tests.labeling.fake_desk import FakeDesk, fake_desk
from tests.labeling.sending.test_pushing import pushed

__all__ = ["fake_desk"]


def test_a_campaign_is_made_pushed_and_read_here(
    transactional_db: None,
    workspace: Workspace,
    alice: User,
    bob: User,
    fake_desk: FakeDesk,
    tmp_path: Path,
) -> None:
    run = a_run(workspace, alice)
    guidelines = tmp_path / "guidelines.md"
    guidelines.write_text("Read the context first.")

    created = evalhub(
        *("campaign", "create", "Spring", "--run", run.pk, "--task", "grounding"),
        *("--people", "alice,bob", "--overlap", "2", "--calibration-share", "0"),
        *("--guidelines", str(guidelines), "--wait", "--json"),
    )
    [dataset_id] = fake_desk.datasets
    card = next(iter(fake_desk.datasets[dataset_id].cards))
    fake_desk.submit(dataset_id, card, "bob", {"label": "true"})
    synced = evalhub("campaign", "sync", "Spring", "--wait")
    status = evalhub("campaign", "status", "Spring")

    assert (created.status, created.facts["state"]) == (0, "open")
    assert created.facts["queues"][0]["pushed"] == 3
    assert fake_desk.datasets[dataset_id].shape.guidelines == "Read the context first."
    assert synced.status == 0, synced.err
    assert Annotation.objects.get().label == "true"
    assert "Bob: 1 answers" in status.out


def test_where_people_label_nowhere_no_campaign_is_made(workspace: Workspace, alice: User) -> None:
    run = a_run(workspace, alice)

    told = evalhub(
        *("campaign", "create", "Spring", "--task", "grounding"),
        *("--people", "alice", "--run", run.pk),
    )

    assert (told.status, told.err.strip()) == (2, NOWHERE)
    assert not Campaign.objects.exists()


@pytest.mark.usefixtures("fake_desk")
def test_what_is_refused_is_one_sentence(workspace: Workspace, alice: User) -> None:
    run = a_run(workspace, alice)
    create = ("campaign", "create", "Spring", "--task", "grounding")

    told = [
        evalhub(*create, "--people", "alice"),
        evalhub(*create, "--people", "zoe", "--run", run.pk),
        evalhub(*create, "--people", "alice", "--run", run.pk, "--sample", "random"),
        evalhub(*create, "--people", "alice", "--run", run.pk, "--task", "grounding_full"),
        evalhub("campaign", "status", "Autumn"),
        evalhub("campaign", "sync", a_campaign(workspace, alice, run=run, name="New").pk),
    ]

    assert [each.status for each in told] == [2] * 6
    assert [each.err.partition(".")[0] for each in told] == [
        "run: Name a run or a dataset: one of the two",
        "people: There is no member 'zoe' here",
        "size: Say how many answers the sample has",
        "tasks: Grounding and grounding_full ask about the same: choose one",
        "There is no campaign 'Autumn' here",
        "Nothing of the campaign is in Argilla yet: there is nothing to read",
    ]


def test_a_name_that_several_imports_have_is_told_with_what_each_is_about(
    workspace: Workspace, alice: User
) -> None:
    for number in range(2):
        pairs = pairs_csv(a_pair(0, query=f"Question {number}?"))
        run = source_of(pairs_version(workspace, pairs, f"returns-{number}.csv"), by=alice)
        Campaign.objects.create(workspace=workspace, run=run, kind="import", name="Imported labels")

    told = [
        evalhub("campaign", "status", "Imported labels"),
        evalhub("annotations", "export", "Imported labels"),
    ]

    assert [each.status for each in told] == [2, 2]
    for each in told:
        assert "2 campaigns are called 'Imported labels'" in each.err
        assert "Imported labels · returns-0 1" in each.err
        assert "Imported labels · returns-1 1" in each.err


def test_push_goes_on_with_a_campaign_that_failed(
    transactional_db: None, workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice)
    Campaign.objects.filter(pk=campaign.pk).update(state="failed")

    told = evalhub("campaign", "push", "Spring labels")

    campaign.refresh_from_db()
    assert (told.status, campaign.state) == (0, "open")


def test_a_campaign_that_cannot_be_pushed_ends_with_two(
    transactional_db: None, workspace: Workspace, alice: User
) -> None:
    a_campaign(workspace, alice)  # people label nowhere

    told = evalhub("campaign", "push", "Spring labels", "--wait")

    assert told.status == 2
    assert "failed" in told.out


def test_status_tells_json(workspace: Workspace, alice: User, fake_desk: FakeDesk) -> None:
    campaign = a_campaign(workspace, alice, tasks=["grounding"])
    pushed(campaign)

    told = evalhub("campaign", "status", campaign.pk, "--json")

    assert told.facts["campaign_id"] == campaign.pk
    assert (told.facts["items"], told.facts["items_done"]) == (3, 0)
