"""Numbers that rest on a judge: counted, corrected by people, or not counted at all."""

from collections.abc import Sequence
from typing import Any

import pytest

from apps.accounts.models import Workspace
from apps.analysis.gates.telling.linking import report_of
from apps.jobs import services as jobs
from apps.jobs.models import OPEN
from apps.labeling.models import Campaign
from apps.runs.models import Run, RunStep, Summary
from tests.analysis.building import brought_scores, computed
from tests.analysis.building import held as calibrated
from tests.datasets.pairs import pairs_version, real, uploaded
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

from .building import a_decision, a_policy, held, the_check

PEOPLE = [number % 4 != 0 for number in range(40)]
JUDGE = [1.0 if number % 4 or number % 8 == 0 else 0.0 for number in range(40)]
"""Of the 10 answers that people fail, the judge passes 5; it fails none that they pass."""


def _summarised() -> None:
    """Imported scores are summed up behind the import."""
    jobs.work_here(lambda: not RunStep.objects.filter(state__in=OPEN).exists())


def _label(run: Run) -> str:
    metric = Summary.objects.get(
        run=run, family="", metric__startswith="rule:grounding", n__gt=0, metric__endswith=":mean"
    ).metric
    return metric.removeprefix("rule:").removesuffix(":mean")


def _imported(workspace: Workspace, human: Sequence[bool | None]) -> Run:
    campaign = calibrated(workspace, human, JUDGE)
    _summarised()
    return campaign.run


def test_an_imported_judge_that_nobody_was_held_against_does_not_count(
    workspace: Workspace,
) -> None:
    run = _imported(workspace, [True, *[None] * 39])
    metric = f"rule:{_label(run)}:mean"
    asked = [{"metric": metric, "at_least": 0.5}]

    strict = held(run, metrics=asked, calibrated_only=True)
    lenient = held(run, metrics=asked)

    check = the_check(strict, f"{metric}:at_least")
    assert (strict.answer, check.finding.code) == ("inconclusive", "not_calibrated")
    assert "on 1 answer only" in check.finding.reason
    assert check.finding.evidence == (
        "Label 19 more answers that it judged, in a campaign about this run."
    )
    assert the_check(lenient, f"{metric}:at_least").answer == "pass"
    assert "The judge's own number was held." in the_check(lenient, f"{metric}:at_least").correction


def test_a_corrected_rate_is_held_in_place_of_the_judges_own_and_both_are_told(
    workspace: Workspace,
) -> None:
    run = _imported(workspace, PEOPLE)
    metric = f"rule:{_label(run)}:pass_rate"

    found = held(run, metrics=[{"metric": metric, "at_least": 0.5}], calibrated_only=True)

    check = the_check(found, f"{metric}:at_least")
    assert check.corrected is not None
    assert check.observed == check.corrected
    assert check.raw is not None
    assert check.raw != check.corrected
    assert check.correction.startswith("The corrected number was held.")
    assert check.corrected.point == pytest.approx(0.75, abs=0.05)
    assert found.answer == "pass"


def test_a_mean_is_held_uncorrected_with_the_reason_or_does_not_count(
    workspace: Workspace,
) -> None:
    run = _imported(workspace, PEOPLE)
    metric = f"rule:{_label(run)}:mean"
    asked = [{"metric": metric, "at_least": 0.5}]
    lenient = a_policy(workspace, metrics=asked)

    decision = a_decision(run, lenient)
    strict = the_check(held(run, metrics=asked, calibrated_only=True), f"{metric}:at_least")

    report = report_of(decision, base="", reader=None)
    check = the_check(report.decided, f"{metric}:at_least")
    assert (check.answer, check.corrected) == ("pass", None)
    assert check.raw == check.observed
    assert "The judge's own number was held. This is a mean of scores" in check.correction
    assert (strict.answer, strict.finding.code) == ("inconclusive", "not_calibrated")
    assert "This is a mean of scores" in strict.finding.reason
    assert strict.finding.evidence.startswith("A pass rate that people's labels")
    assert "was held" not in strict.correction
    pages = [link.page for link in report.links[check.key]]
    assert any("/labeling/" in page and page.endswith("/judges/") for page in pages)


def test_a_run_of_answers_that_came_with_the_data_is_held_like_any_other(
    workspace: Workspace,
) -> None:
    run = _imported(workspace, PEOPLE)

    found = held(
        run,
        metrics=[{"metric": f"rule:{_label(run)}:mean", "at_least": 0.8, "by": "point"}],
        failure_rate_at_most=0.1,
    )

    assert (found.run.kind, found.run.contract) == ("recorded", "")
    assert found.run.counts.unjudged == 40
    assert found.answer == "pass"


def test_scores_that_came_later_count_in_the_next_decision_alone(workspace: Workspace) -> None:
    run = _imported(workspace, PEOPLE)
    metric = f"rule:{_label(run)}:mean"
    policy = a_policy(
        workspace, metrics=[{"metric": metric, "at_least": 0.8, "by": "point"}], minimum_n=1
    )
    before = a_decision(run, policy)
    brought_scores(workspace, [0.1] * 40)
    _summarised()

    after = a_decision(run, policy)

    before.refresh_from_db()
    assert (before.answer, after.answer) == ("pass", "fail")


RULE = {"type": "reference_judge", "name": "grounding", "passes_by": "threshold"}


def test_the_pass_rate_of_a_contract_that_asks_a_judge_rests_on_it(
    start: Start,  # noqa: F811
    make_version: MakeVersion,  # noqa: F811
    make_target: MakeTarget,  # noqa: F811
    make_contract: MakeContract,  # noqa: F811
) -> None:
    judge = make_target("solomon", plays="judge")
    run = drain(
        start(
            version=make_version(records=sums(20)),
            target=make_target(),
            contract=make_contract(RULE),
            judge=judge,
        )
    )
    asked: dict[str, Any] = {
        "metrics": [
            {"metric": "pass_rate", "at_least": 0.1},
            {"metric": "latency_p95", "at_most": 1e9, "by": "point"},
        ],
        "blocking_rules": ["grounding"],
    }

    strict = held(run, calibrated_only=True, **asked)
    lenient = held(run, **asked)

    codes = {check.key: check.finding.code for check in strict.checks}
    assert codes == {
        "run:complete": "holds",
        "blocking:grounding": "not_calibrated",
        "pass_rate:at_least": "not_calibrated",
        "latency_p95:at_most": "holds",
    }
    assert "not_calibrated" not in {check.finding.code for check in lenient.checks}
    assert any("label 20 more answers" in action for action in strict.judgment.next_action)


def test_real_answers_that_come_in_groups_are_not_corrected_and_do_not_count(
    workspace: Workspace,
) -> None:
    pairs_version(workspace, real("rag/mtrag_pairs.csv").read_bytes())
    for name in ("mtrag_labels.csv", "mtrag_judge_scores.csv"):
        uploaded(workspace, real(f"rag/{name}").read_bytes(), name)
    run = computed(Campaign.objects.get()).run
    _summarised()
    metric = f"rule:{_label(run)}:mean"
    rate = f"rule:{_label(run)}:pass_rate"

    asked = [{"metric": metric, "at_least": 0.7}, {"metric": rate, "at_least": 0.7}]

    strict, lenient = held(run, metrics=asked, calibrated_only=True), held(run, metrics=asked)

    mean, passed = the_check(lenient, f"{metric}:at_least"), the_check(strict, f"{rate}:at_least")
    assert mean.observed is not None
    assert (mean.answer, mean.observed.n) == ("pass", 318)
    assert (mean.observed.point, mean.observed.low) == pytest.approx((0.785, 0.733), abs=0.001)
    assert "only pass rates are corrected" in mean.correction
    assert (passed.finding.code, passed.corrected) == ("not_calibrated", None)
    assert "come in groups" in passed.finding.reason
    assert the_check(strict, f"{metric}:at_least").finding.code == "not_calibrated"
