"""A judge that people were held against in one run is known again in the next."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from apps.analysis.calibration.declaring import declare
from apps.analysis.calibration.known import corrected_of, held_against_people
from apps.analysis.models import Calibration
from apps.labeling.models import Campaign, Item
from apps.labeling.plans import Plan
from apps.runs.later.calibrated import VERDICT
from apps.runs.models import Run, Score
from apps.targets import services as targets
from apps.targets.models import Target
from tests.labeling.labelled import a_question, say
from tests.runs.conftest import (  # noqa: F401
    MakeContract,
    MakeTarget,
    MakeVersion,
    Start,
    drain,
    make_contract,
    make_target,
    make_version,
    start,
    sums,
)

from .building import computed

RULE = {"type": "reference_judge", "name": "grounding", "passes_by": "threshold"}
PANEL = {**RULE, "panel": ["solomon", "beth"], "panel_mode": "majority"}
NAMED = {**RULE, "judge": "beth"}


@pytest.fixture
def judges(make_target: MakeTarget) -> dict[str, Target]:  # noqa: F811
    return {name: make_target(name, plays="judge") for name in ("solomon", "beth")}


@pytest.fixture
def twice(
    start: Start,  # noqa: F811
    make_version: MakeVersion,  # noqa: F811
    make_target: MakeTarget,  # noqa: F811
    make_contract: MakeContract,  # noqa: F811
    judges: dict[str, Target],
) -> Any:
    """A run that people labelled, and a second one of the same contract after `between`."""

    def runs(
        rule: dict[str, Any], between: Any = lambda: None, also: dict[str, Any] | None = None
    ) -> tuple[Run, Run]:
        version, contract, target = (
            make_version(records=sums(4)),
            make_contract(rule, *([also] if also else [])),
            make_target(),
        )
        default = None if rule in (PANEL, NAMED) else judges["solomon"]

        def run() -> Run:
            if default:
                default.refresh_from_db()
            begun = start(version=version, target=target, contract=contract, judge=default)
            return drain(begun)

        first = run()
        labelled(first)
        between()
        return first, run()

    return runs


def labelled(run: Run) -> None:
    """Bob finds every answer grounded."""
    campaign = Campaign.objects.create(
        workspace=run.workspace,
        run=run,
        kind=Campaign.Kind.DESK,
        name="Grounded?",
        state=Campaign.State.OPEN,
        plan=Plan(tasks=("grounding",), calibration_share=0).model_dump(),
    )
    question = a_question(campaign)
    Item.objects.bulk_create(
        Item(campaign=campaign, result=each, probability=1) for each in run.results.all()
    )
    say(question, "bob", ["true"] * run.results.count())
    computed(campaign)


@pytest.mark.parametrize(
    ("rule", "asked"),
    [(RULE, ["solomon"]), (NAMED, ["beth"]), (PANEL, ["solomon", "beth"])],
    ids=["of the run", "named", "panel"],
)
def test_the_same_judges_in_the_same_words_are_calibrated_in_the_next_run(
    twice: Any, judges: dict[str, Target], rule: dict[str, Any], asked: list[str]
) -> None:
    first, second = twice(rule)

    row = Calibration.objects.get(rule="grounding")
    assert row.matched
    assert row.judge_versions == [judges[name].current.pk for name in asked]
    for run in (first, second):
        assert held_against_people(run)["grounding"].labels == 4


@pytest.mark.parametrize("rule", [RULE, PANEL], ids=["of the run", "panel"])
def test_a_judge_that_has_changed_since_is_another(
    twice: Any, judges: dict[str, Target], rule: dict[str, Any]
) -> None:
    def change() -> None:
        spec = judges["solomon"].current.parsed.model_copy(update={"wrong_rate": 0.5})
        targets.edit_target(target=judges["solomon"], spec=spec, by=None)

    first, second = twice(rule, change)

    assert "grounding" in held_against_people(first)
    assert held_against_people(second)["grounding"].labels == 0


def test_labels_of_another_run_calibrate_the_judge_and_correct_nothing_here(twice: Any) -> None:
    _first, second = twice(RULE)

    found = corrected_of(second, "rule:grounding:pass_rate")

    assert found is not None
    assert (found.interval, found.labels) == (None, 4)
    assert "answers of another run" in found.why


def test_the_verdict_of_a_contract_is_corrected_only_by_what_was_asked_of_the_whole(
    twice: Any, bob: User
) -> None:
    first, _second = twice(RULE)

    before = corrected_of(first, "pass_rate")
    verdict = Calibration.objects.get(campaign__run=first, rule="")
    declare(verdict, {"matched": True}, by=bob)
    computed(verdict.campaign)
    after = corrected_of(first, "pass_rate")

    assert before is not None
    assert (before.labels, "about the answer as a whole" in before.why) == (0, True)
    assert after is not None
    assert after.labels == 4
    assert "too few" in after.why


ALONE = {**RULE, "name": "criteria"}
LATENCY = {"type": "max_latency", "name": "latency", "default_ms": 9000, "blocking": False}


def test_what_is_said_of_the_only_rule_that_decides_holds_for_the_verdict(
    twice: Any, bob: User
) -> None:
    first, _second = twice(ALONE)
    rule = Calibration.objects.get(rule="criteria")

    declare(rule, {"matched": True, "yes_fails": False, "threshold": 0.9}, by=bob)

    verdict = Calibration.objects.get(campaign=rule.campaign, rule="")
    assert (verdict.matched, verdict.declared_by, verdict.threshold) == (True, bob, None)
    computed(rule.campaign)
    found = corrected_of(first, "pass_rate")
    assert found is not None
    assert found.labels == 4


def test_beside_another_rule_that_decides_the_verdict_is_said_by_itself(
    twice: Any, bob: User
) -> None:
    twice({**ALONE, "blocking": True}, also={**LATENCY, "blocking": True})
    rule = Calibration.objects.get(rule="criteria")

    declare(rule, {"matched": True}, by=bob)

    assert not Calibration.objects.get(campaign=rule.campaign, rule="").matched


def test_an_answer_that_the_data_failed_keeps_the_verdict_apart(twice: Any, bob: User) -> None:
    first, _second = twice(ALONE)
    result = first.results.filter(verdict="passed")[0]
    first.results.filter(pk=result.pk).update(verdict="failed")
    rule = Calibration.objects.get(rule="criteria")

    declare(rule, {"matched": True}, by=bob)

    assert not Calibration.objects.get(campaign=rule.campaign, rule="").matched


def test_the_page_offers_the_verdict_beside_the_only_rule_that_decides(
    twice: Any, alice: User, client: Client
) -> None:
    twice(ALONE, also=LATENCY)
    rule = Calibration.objects.get(rule="criteria")
    client.force_login(alice)
    asked = client.get(reverse("analysis:match", args=["demo", rule.campaign_id, rule.pk]))
    Calibration.objects.filter(pk=rule.pk).update(matched=True)

    page = client.get(reverse("analysis:judges", args=["demo", rule.campaign_id])).content.decode()

    assert "what is kept here holds for the contract&#x27;s verdict too" in (
        asked.content.decode().replace("contract's", "contract&#x27;s")
    )
    assert "criteria alone decides in this contract" in page
    assert page.count("Say that they ask the same") == 1  # the verdict; latency is no judgment
    assert "no judgment of content" in page


def test_a_warning_of_a_judge_leaves_the_verdict_to_the_others(twice: Any) -> None:
    first, _second = twice({**RULE, "blocking": False})

    assert corrected_of(first, "pass_rate") is None
    assert corrected_of(first, "rule:grounding:pass_rate") is not None
    score = corrected_of(first, "score_mean")
    assert score is not None
    assert "a mean of scores" in score.why


def test_tables_of_runs_say_what_stands_behind_a_judged_pass_rate(
    twice: Any, alice: User, client: Client
) -> None:
    twice(RULE)
    client.force_login(alice)

    for address in (reverse("runs:list", args=["demo"]), "/w/demo/"):
        page = client.get(address).content.decode()

        assert page.count("uncalibrated") == 2
        assert "People were asked another question of the answers of this run" in page
        assert "nobody has held the whole of it against people" in page


def test_a_judge_that_was_named_and_never_asked_has_judged_nothing(
    start: Start,  # noqa: F811
    make_version: MakeVersion,  # noqa: F811
    make_target: MakeTarget,  # noqa: F811
    make_contract: MakeContract,  # noqa: F811
    judges: dict[str, Target],
) -> None:
    contract = make_contract({"type": "exact_match", "name": "exact"})
    version, target = make_version(records=sums(4)), make_target()
    begun = start(version=version, target=target, contract=contract, judge=judges["solomon"])
    while_open = corrected_of(Run.objects.get(pk=begun.pk), "pass_rate")
    run = drain(begun)

    by_code = [corrected_of(run, metric) for metric in ("pass_rate", "score_mean", "pass^1")]
    nobody = held_against_people(run)
    Score.objects.create(
        run=run,
        result=run.results.earliest("ordinal"),
        rule="grounded",
        value=1,
        verdict="pass",
        method="judge",
        verifier="reference_judge@1",
    )
    asked = Run.objects.get(pk=run.pk)

    assert {party["role"] for party in run.plan["targets"]} == {"target", "judge"}
    assert (while_open, by_code, nobody) == (None, [None, None, None], {})
    assert held_against_people(asked)[VERDICT].labels == 0
    assert corrected_of(asked, "pass_rate") is not None
