"""Corrected rates beside raw ones: where they apply, and why not where they do not."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.analysis.calibration.known import corrected_of, corrected_of_many, corrected_of_metrics
from apps.analysis.models import Calibration
from apps.grading.models import ContractVersion
from apps.labeling.models import Campaign
from apps.runs.models import Run, Summary
from apps.runs.recorded.imported import label_of
from tests.runs import building
from tests.runs.pages import judged

from .building import held

__all__ = ["judged"]

HUMAN = [True] * 15 + [False] * 10
JUDGE = [0.9] * 12 + [0.1] * 3 + [0.8] * 4 + [0.2] * 6
LABEL = label_of("grounding", "model_based", "import:scores.csv")


@pytest.fixture
def campaign(workspace: Workspace) -> Campaign:
    return held(workspace, HUMAN, JUDGE)


def why_of(run: Run, metric: str) -> str:
    found = corrected_of(run, metric)
    assert found is not None
    assert found.interval is None
    return found.why


def test_a_rate_is_corrected_where_people_labelled_this_runs_answers(campaign: Campaign) -> None:
    found = corrected_of(campaign.run, f"rule:{LABEL}:pass_rate")

    assert found is not None
    assert found.interval is not None
    assert found.interval.point == pytest.approx(15 / 25)
    assert found.labels == 25
    assert found.why.startswith("All 25 judged units have been put to people")
    assert found.address.endswith(f"/{campaign.pk}/judges/")


def test_a_mean_is_not_corrected(campaign: Campaign) -> None:
    assert "a mean of scores, not a pass rate" in why_of(campaign.run, f"rule:{LABEL}:mean")


def test_a_number_that_no_judge_gave_has_nothing_to_correct(campaign: Campaign) -> None:
    for metric in ("latency_p95", "pass_rate", "score_mean", "rule:other:pass_rate", "rule::", ""):
        assert corrected_of(campaign.run, metric) is None


def test_imported_scores_that_nobody_looked_at_say_so(workspace: Workspace) -> None:
    campaign = held(workspace, HUMAN, JUDGE)
    Calibration.objects.all().delete()

    assert why_of(campaign.run, f"rule:{LABEL}:pass_rate") == (
        "Nobody has held this judge against people's labels."
    )


def test_scores_from_a_reference_rest_on_no_judge(workspace: Workspace) -> None:
    campaign = held(workspace, HUMAN, JUDGE)
    campaign.run.scores.update(method="reference_based")
    Calibration.objects.update(method="reference_based")
    label = label_of("grounding", "reference_based", "import:scores.csv")

    assert corrected_of(campaign.run, f"rule:{label}:pass_rate") is None


def test_people_who_were_asked_something_else_correct_nothing(workspace: Workspace) -> None:
    campaign = held(workspace, HUMAN, JUDGE, family="relevance")
    label = label_of("relevance", "model_based", "import:scores.csv")

    found = corrected_of(campaign.run, f"rule:{label}:pass_rate")

    assert found is not None
    assert (found.interval, found.labels) == (None, 0)
    assert "another question" in found.why
    assert "a lead says so on the page of the judges" in found.why


def test_labels_that_were_not_drawn_correct_nothing(workspace: Workspace) -> None:
    campaign = held(workspace, HUMAN, [*JUDGE, *[0.9] * 25])

    assert "Nobody has said how the labelled units were drawn" in why_of(
        campaign.run, f"rule:{LABEL}:pass_rate"
    )


def test_too_few_labels_correct_nothing(workspace: Workspace) -> None:
    campaign = held(workspace, [True], [0.9])

    assert "too few" in why_of(campaign.run, f"rule:{LABEL}:pass_rate")


def test_answers_that_come_in_groups_are_not_corrected_as_if_they_were_alone(
    campaign: Campaign,
) -> None:
    numbers = {"n": 25, "as_of": campaign.created_at, "method": "wilson, clustered"}
    Summary.objects.update_or_create(
        run=campaign.run, family="", value="", metric="pass_rate", defaults=numbers
    )

    assert "groups or tries" in why_of(campaign.run, f"rule:{LABEL}:pass_rate")


def test_many_runs_take_no_more_queries_than_one(campaign: Campaign) -> None:
    metric = f"rule:{LABEL}:pass_rate"
    run = Run.objects.get(pk=campaign.run_id)
    many = [Run.objects.get(pk=run.pk) for _ in range(5)]

    with CaptureQueriesContext(connection) as one:
        corrected_of(run, metric)
    with CaptureQueriesContext(connection) as five:
        corrected_of_many(many, metric)

    assert len(five) == len(one) <= 5


def test_metrics_together_are_told_as_each_alone(campaign: Campaign) -> None:
    run = Run.objects.get(pk=campaign.run_id)
    metrics = ["pass_rate", "score_mean", f"rule:{LABEL}:pass_rate", f"rule:{LABEL}:mean"]

    together = corrected_of_metrics([run], [*metrics, "latency_mean"])

    assert {metric: said[run.pk] for metric, said in together.items()} == {
        metric: corrected_of(run, metric) for metric in metrics
    }


def test_many_metrics_of_a_run_take_no_more_queries_than_one(
    workspace: Workspace, judged: ContractVersion
) -> None:
    made = building.ended_run(workspace, contract=judged)
    rules = [rule.name for rule in judged.parsed.judge_rules]
    metrics = [f"rule:{rule}:{part}" for rule in rules for part in ("pass_rate", "mean")]
    one, another = (Run.objects.get(pk=made.pk) for _ in range(2))

    with CaptureQueriesContext(connection) as alone:
        corrected_of(one, metrics[0])
    with CaptureQueriesContext(connection) as together:
        found = corrected_of_metrics([another], ["pass_rate", *metrics])

    assert len(together) <= len(alone)
    assert {metric: said[made.pk] for metric, said in found.items()} == {
        metric: corrected_of(one, metric) for metric in found
    }


def test_a_run_that_asked_no_judge_takes_no_query(workspace: Workspace) -> None:
    queued = building.queued_run(workspace)
    run = Run.objects.select_related("contract_version").get(pk=queued.pk)

    with CaptureQueriesContext(connection) as asked:
        found = corrected_of(run, "pass_rate")

    assert found is None
    assert len(asked) == 0


def test_the_run_page_shows_the_corrected_rate_and_how_it_came_about(
    campaign: Campaign, alice: User, client: Client
) -> None:
    client.force_login(alice)

    page = client.get(reverse("runs:detail", args=["demo", campaign.run_id])).content.decode()

    assert "corrected 60.0 %" in page
    assert "All 25 judged units have been put to people" in page
