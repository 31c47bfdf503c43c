"""The analysis of a campaign: what its labels give, once for the same ones."""

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Workspace
from apps.jobs.leases import LeaseLost
from apps.labeling.analysing import analyse
from apps.labeling.analysing.contracts import CampaignAgreement, CampaignConsensus, People
from apps.labeling.analysing.scales import Scale, scale_of
from apps.labeling.models import CampaignStep, Question, Report, Review
from apps.labeling.nudging import ask_for
from apps.metrics import agreement as metrics
from tests.labeling.analysing.reports import found, labelled, report
from tests.labeling.labelled import (
    a_campaign,
    a_question,
    analysed,
    calibrate,
    discard,
    items_of,
    say,
    settle,
)
from tests.runs.conftest import again, lease_of

YES_NO = ("true", "false")


def at_random(n: int, seed: int = 0, yes: float = 0.7) -> list[str]:
    rng = random.Random(seed)
    return ["true" if rng.random() < yes else "false" for _ in range(n)]


def test_a_calibration_share_that_nobody_has_answered_has_no_numbers(workspace: Workspace) -> None:
    campaign = a_campaign(workspace)
    calibrate(campaign, 0, people=2)

    analysed(campaign)

    assert Report.objects.get(campaign=campaign, kind="agreement").body["labels"] == 0


def test_a_question_has_the_figures_of_its_labels(workspace: Workspace) -> None:
    campaign = a_campaign(workspace, 40)
    bob, dora = at_random(40, 1), at_random(40, 2)
    labelled(campaign, bob=bob, dora=dora)

    analysed(campaign)

    frame = {
        "item": [*range(40)] * 2,
        "annotator": ["bob"] * 40 + ["dora"] * 40,
        "label": bob + dora,
    }
    expected = metrics.of_question(frame, options=YES_NO)
    measured = found(campaign).agreement
    assert measured.alpha.point == pytest.approx(expected.alpha.point)
    assert measured.ac1.point == pytest.approx(expected.ac1.point)
    assert (measured.items, measured.raters, measured.pairs) == (40, 2, 40)
    assert found(campaign).pairs.listed[0].items == 40


def test_the_same_labels_give_the_same_numbers(workspace: Workspace) -> None:
    campaign = a_campaign(workspace, 40)
    labelled(campaign, bob=at_random(40, 1), dora=at_random(40, 2))
    analysed(campaign)
    before = list(Report.objects.order_by("kind").values_list("kind", "body"))

    analysed(campaign)

    assert list(Report.objects.order_by("kind").values_list("kind", "body")) == before
    assert [kind for kind, _ in before] == ["agreement", "consensus", "people", "worst"]


def test_the_calibration_share_stands_beside_all_shared_items(workspace: Workspace) -> None:
    campaign = a_campaign(workspace, 40, calibration_share=0.5)
    calibrate(campaign, *range(20), people=2)
    labelled(campaign, bob=["true"] * 40, dora=["true"] * 20 + ["false"] * 20)

    analysed(campaign)

    scopes = report(campaign, CampaignAgreement, "agreement").scopes
    assert [each.scope for each in scopes] == ["calibration", "overlap"]
    assert [each.questions[0].agreement.items for each in scopes] == [20, 40]
    assert [each.questions[0].agreement.percent.point for each in scopes] == [1.0, 0.5]


def test_without_a_calibration_share_all_shared_items_are_the_scope(workspace: Workspace) -> None:
    campaign = a_campaign(workspace)
    labelled(campaign, bob=["true"] * 3)

    analysed(campaign)

    scopes = report(campaign, CampaignAgreement, "agreement").scopes
    assert [each.scope for each in scopes] == ["overlap"]
    assert scopes[0].questions[0].agreement.alone == 3


def test_discards_and_free_words_are_no_labels(workspace: Workspace) -> None:
    campaign = a_campaign(workspace)
    question = labelled(campaign, bob=["true", "true", "-"], dora=["true", "-", "-"])
    discard(question, "dora", 1)
    remark = a_question(campaign, name="remark", kind=Question.Kind.TEXT, options=[])
    say(remark, "bob", ["fine"])

    analysed(campaign)

    agreement = report(campaign, CampaignAgreement, "agreement")
    assert agreement.texts == ("grounding / remark",)
    assert len(agreement.scopes[0].questions) == 1
    assert agreement.scopes[0].questions[0].agreement.labels == 3


def test_a_rating_is_measured_at_its_level(workspace: Workspace) -> None:
    campaign = a_campaign(workspace, 30)
    scale = {
        "kind": Question.Kind.RATING,
        "level": Question.Level.ORDINAL,
        "options": [[str(mark), str(mark)] for mark in range(1, 5)],
    }
    rating = a_question(campaign, name="tone", **scale)
    rng = random.Random(3)
    first = [str(rng.randint(1, 4)) for _ in range(30)]
    say(rating, "bob", first)
    say(rating, "dora", [str(min(4, int(mark) + 1)) for mark in first])

    analysed(campaign)

    measured = found(campaign, question=1).agreement
    assert measured.level == "ordinal"
    assert measured.alpha.point > measured.ac1.point  # type: ignore[operator]


def test_nobody_has_labelled_and_that_is_said(workspace: Workspace) -> None:
    campaign = a_campaign(workspace)

    analysed(campaign)

    measured = found(campaign).agreement
    assert (measured.items, measured.labels) == (0, 0)
    assert measured.alpha.point is None
    assert measured.alpha.reason
    assert report(campaign, People, "people").listed == ()


def test_what_became_of_a_question_adds_up(workspace: Workspace) -> None:
    campaign = a_campaign(workspace, 4)
    question = labelled(campaign, bob=["true"] * 4, dora=["true", "false", "false", "true"])
    settle(question, 2, "false")

    analysed(campaign)

    outcome = report(campaign, CampaignConsensus, "consensus").questions[0]
    assert (outcome.units, outcome.agreed, outcome.reviewed, outcome.single) == (4, 2, 1, 0)
    assert [(each.label, each.count) for each in outcome.unsettled] == [("tie", 1)]
    assert [(each.label, each.count) for each in outcome.labels] == [("true", 2), ("false", 1)]


def test_disagreements_go_to_review(workspace: Workspace) -> None:
    campaign = a_campaign(workspace)
    question = labelled(campaign, bob=["true"] * 3, dora=["true", "false", "true"])

    analysed(campaign)

    review = Review.objects.get()
    assert (review.item, review.question) == (items_of(campaign)[1], question)


def test_a_step_that_lost_its_lease_writes_nothing(workspace: Workspace) -> None:
    campaign = a_campaign(workspace)
    labelled(campaign, bob=["true"] * 3, dora=["false"] * 3)
    ask_for(campaign.pk, CampaignStep.Name.ANALYSE)
    step = CampaignStep.objects.get()
    lease = lease_of(step)
    CampaignStep.objects.update(lease="somebody else's")

    with pytest.raises(LeaseLost):
        analyse(again(step), lease)

    assert not Report.objects.exists()
    assert not Review.objects.exists()


def test_more_labels_cost_no_more_queries(workspace: Workspace) -> None:
    def queries(name: str, people: int) -> int:
        campaign = a_campaign(workspace, 30, name=name)
        labelled(campaign, **{f"p{number}": ["true"] * 30 for number in range(people)})
        with CaptureQueriesContext(connection) as asked:
            analysed(campaign)
        return len(asked)

    assert queries("few", 2) == queries("many", 9)


@pytest.mark.parametrize(
    ("labels", "kind", "level"),
    [
        (["true", "false"], "yes_no", "nominal"),
        (["true"], "yes_no", "nominal"),
        (["1", "4"], "rating", "ordinal"),
        (["0.5", "0.75"], "rating", "interval"),
        (["good", "bad"], "choice", "nominal"),
        (["nan", "1"], "choice", "nominal"),
        (["1e999", "1"], "choice", "nominal"),
        ([f"text {n}" for n in range(101)], "text", "nominal"),
    ],
)
def test_the_labels_of_a_file_say_what_scale_they_are_of(
    labels: list[str], kind: str, level: str
) -> None:
    assert scale_of(labels) == Scale(Question.Kind(kind), Question.Level(level))
