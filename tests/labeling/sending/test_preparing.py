"""Items of a campaign: drawn, built once, in the queues of their tasks."""

from itertools import cycle
from typing import Any

import pytest

from apps.accounts.models import User, Workspace
from apps.jobs import stopping
from apps.jobs.leases import LeaseLost
from apps.jobs.models import JobState
from apps.labeling.making.sampling import Draw
from apps.labeling.models import Campaign, CampaignStep, DeskRecord, Item, Question, Report
from apps.labeling.sending import preparing
from apps.labeling.sending.units import is_for_everybody
from apps.labeling.sending.walked import note_walked, walked_to
from tests.datasets import legal
from tests.datasets.documents import accepted
from tests.datasets.pairs import a_pair, pairs_csv, pairs_version
from tests.labeling.building import a_campaign, a_run, prepare, step_of
from tests.labeling.sending.prepared import drawn_of
from tests.runs import building as runs_building
from tests.runs.conftest import expire, lease_of, work_on

PREPARE = CampaignStep.Name.PREPARE


def test_each_task_has_its_items_and_questions(
    workspace: Workspace, alice: User, bob: User
) -> None:
    campaign = a_campaign(workspace, alice, bob, tasks=("retrieval", "grounding", "relevance"))

    assert campaign.state == Campaign.State.PREPARING
    assert {queue.task: queue.records.count() for queue in campaign.queues.all()} == {
        "retrieval": 3,
        "grounding": 3,
        "relevance": 3,
    }
    assert campaign.items.count() == 6  # the answers, and a passage of each
    assert set(Question.objects.values_list("task_type", "name")) == {
        ("retrieval", ""),
        ("grounding", ""),
        ("relevance", ""),
    }
    assert step_of(campaign, CampaignStep.Name.PUSH).is_open
    assert (drawn_of(campaign).answers, drawn_of(campaign).drawn) == (3, 3)


def test_a_second_delivery_doubles_nothing(workspace: Workspace, alice: User) -> None:
    campaign = a_campaign(workspace, alice, tasks=("retrieval", "grounding"))
    before = [model.objects.count() for model in (Item, DeskRecord, Question, Report)]
    CampaignStep.objects.filter(name=PREPARE).update(state=JobState.PENDING)

    prepare(campaign)

    assert [model.objects.count() for model in (Item, DeskRecord, Question, Report)] == before


def test_what_a_killed_worker_built_stays_and_the_rest_follows(
    workspace: Workspace, alice: User
) -> None:
    run = a_run(workspace, alice, pairs=600)
    campaign = a_campaign(workspace, alice, run=run, tasks=["grounding"], prepared=False)
    step = step_of(campaign, PREPARE)
    lease = DyingLease(lease_of(step), after=2)
    with pytest.raises(LeaseLost):
        preparing.prepare(step, lease)  # type: ignore[arg-type]
    built = set(campaign.items.values_list("pk", flat=True))
    expire(step)

    prepare(campaign)

    assert len(built) == 500
    assert built < set(campaign.items.values_list("pk", flat=True))
    assert campaign.items.values("result").distinct().count() == campaign.items.count() == 600
    assert DeskRecord.objects.count() == 600


def test_answers_with_nothing_to_ask_are_walked_once_however_many_turns_it_takes(
    workspace: Workspace, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = (a_pair(number, **({"context": []} if number else {})) for number in range(600))
    run = preparing.source_of(pairs_version(workspace, pairs_csv(*pairs)), by=alice)
    campaign = a_campaign(workspace, alice, run=run, tasks=["grounding"], prepared=False)
    is_over = cycle([False, True])  # after one batch of 500
    monkeypatch.setattr(stopping, "asked", lambda: next(is_over))

    first = work_on(step_of(campaign, PREPARE)).state
    second = work_on(step_of(campaign, PREPARE)).state

    assert (first, second) == (JobState.PENDING, JobState.DONE)
    assert campaign.items.count() == 1
    assert drawn_of(campaign).drawn == 600


def test_a_place_in_another_order_is_no_place(workspace: Workspace, alice: User) -> None:
    campaign = a_campaign(workspace, alice, prepared=False)
    order = [Draw(key, None) for key in (3, 1, 2)]
    lease = lease_of(step_of(campaign, PREPARE))

    note_walked(campaign, order, 2, lease)

    assert (walked_to(campaign, order), walked_to(campaign, order[::-1])) == (2, 0)


class DyingLease:
    """A lease that is lost when it is asked for the n-th time."""

    def __init__(self, lease: Any, *, after: int) -> None:
        self._lease, self._left = lease, after

    def require(self) -> None:
        self._left -= 1
        if not self._left:
            raise LeaseLost
        self._lease.require()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lease, name)


def test_every_item_keeps_the_probability_of_its_slice(workspace: Workspace, alice: User) -> None:
    run = runs_building.ended_run(workspace, [runs_building.PASSED], by=alice)

    campaign = a_campaign(
        workspace,
        alice,
        run=run,
        tasks=["relevance"],
        sample={"how": "stratified", "size": 6, "family": "length"},
    )

    items = campaign.items.values_list("stratum", "probability").distinct()
    assert set(items) == {("short", 0.6), ("long", 0.6)}
    assert [(each.value, each.drawn) for each in drawn_of(campaign).strata] == [
        ("long", 3),
        ("short", 3),
    ]


def test_what_is_chosen_has_no_probability(workspace: Workspace, alice: User) -> None:
    run = runs_building.ended_run(workspace, [runs_building.PASSED], by=alice)
    f1 = run.scores.filter(rule="token_f1").order_by("pk")
    for place, score in enumerate(f1):
        score.value = 0.5 + place / 20
        score.save(update_fields=["value"])

    campaign = a_campaign(
        workspace,
        alice,
        run=run,
        tasks=["relevance"],
        sample={"how": "low_confidence", "size": 3},
    )

    items = campaign.items.order_by("result__ordinal")
    assert list(items.values_list("result__ordinal", "probability")) == [
        (0, None),
        (1, None),
        (2, None),
    ]
    assert not campaign.planned.sample.is_random


def test_results_without_an_answer_are_left_out_and_told(workspace: Workspace, alice: User) -> None:
    outcomes = [runs_building.PASSED] * 7 + [runs_building.TIMED_OUT] * 3
    run = runs_building.ended_run(workspace, outcomes, by=alice)

    campaign = a_campaign(workspace, alice, run=run, tasks=["relevance"])

    told = drawn_of(campaign)
    assert (told.answers, told.drawn) == (7, 7)
    assert [(each.reason, each.count) for each in told.left_out] == [("timed out", 3)]


def test_the_calibration_share_waits_for_everybody(
    workspace: Workspace, alice: User, bob: User
) -> None:
    campaign = a_campaign(
        workspace,
        alice,
        *(alice, bob),
        tasks=["grounding"],
        pairs=40,
        calibration_share=0.3,
        sample={"seed": 5},
    )

    everybody = campaign.queues.get(calibration=True)
    assert everybody.min_submitted == 2
    assert campaign.queues.get(calibration=False).min_submitted == 1
    for item in Item.objects.filter(desk_records__queue=everybody):
        assert is_for_everybody(item.pair_sha256, "", "grounding", seed=5, share=0.3)
    assert 0 < everybody.records.count() < 40


def test_a_checklist_is_as_long_as_the_longest(workspace: Workspace, alice: User) -> None:
    said = [{"role": "user", "content": "How?"}, {"role": "assistant", "content": "In writing."}]
    two = [{"id": f"c{number}", "title": f"Says {number}"} for number in (1, 2)]
    rows = [
        legal.row(legal.RUBRIC, messages=said),
        legal.row(legal.RUBRIC, id="q2", rubric=two, messages=said),
        legal.row(legal.REFERENCE, id="q3", messages=said),
    ]
    version = accepted(workspace, legal.lines(*rows)).version
    assert version is not None

    campaign = a_campaign(
        workspace,
        alice,
        run=preparing.source_of(version, by=alice),
        tasks=["rubric", "reference"],
    )

    questions = campaign.questions.order_by("position").values_list("task_type", "name")
    assert list(questions) == [
        ("rubric", "criterion-1"),
        ("rubric", "criterion-2"),
        ("reference", ""),
    ]
    criteria = campaign.items.order_by("result__ordinal").values_list("criteria", flat=True)
    assert list(criteria) == [1, 2, 0]
    assert [(each.items, each.without, each.missing) for each in drawn_of(campaign).tasks] == [
        (2, 1, "no criteria"),
        (1, 2, "no reference answer"),
    ]


def test_a_campaign_about_nothing_fails_with_the_reason(workspace: Workspace, alice: User) -> None:
    campaign = a_campaign(workspace, alice, tasks=["grounding"], prepared=False)
    Campaign.objects.filter(pk=campaign.pk).update(plan={**campaign.plan, "tasks": ["rubric"]})

    step = work_on(step_of(campaign, PREPARE))

    campaign.refresh_from_db()
    assert (campaign.state, step.state) == (Campaign.State.FAILED, JobState.FAILED)
    assert "no criteria" in step.error


def test_items_stand_in_no_order_that_tells_where_they_come_from(
    workspace: Workspace, alice: User
) -> None:
    campaign = a_campaign(workspace, alice, tasks=["grounding"], pairs=60)

    ordinals = list(
        DeskRecord.objects.filter(queue__campaign=campaign)
        .order_by("pk")
        .values_list("item__result__ordinal", flat=True)
    )

    assert sorted(ordinals) == list(range(60))
    assert ordinals != sorted(ordinals)
