"""Margins and slices of numbers that rest on judges: both runs as people correct them."""

from dataclasses import replace
from typing import Any

import pytest

from apps.accounts.models import Workspace
from apps.analysis.comparing import body_of, comparison_of
from apps.analysis.gates.checking.concluding import checks_of
from apps.analysis.gates.checking.grounds import Grounds, Judged
from apps.analysis.gates.checking.looking import grounds_of
from apps.analysis.gates.contracts import Check
from apps.metrics.gating import rate_difference
from apps.metrics.intervals import rate
from apps.runs.models import Run
from tests.runs.building import TIMED_OUT, make_version

from .building import a_run, a_spec

MARGIN: dict[str, Any] = {"metrics": [{"metric": "pass_rate", "margin": 0.1}]}
UNSURE = Judged(40, None, "Answers of this run come in groups.")


def corrected(passed: int) -> Judged:
    return Judged(40, rate(passed, 200).model_copy(update={"method": "rogan-gladen"}), "By labels.")


@pytest.fixture
def runs(workspace: Workspace) -> tuple[Run, Run]:
    version = make_version(workspace, 200)
    return a_run(workspace, 180, 20, version=version), a_run(workspace, 182, 18, version=version)


def judged(
    runs: tuple[Run, Run], before: Judged | None, now: Judged | None, **asked: Any
) -> Grounds:
    """The same two runs, with what people made of the judge of each."""
    found = grounds_of(a_spec(**asked), runs[1], runs[0], comparison_of(*runs))
    return replace(
        found,
        judged={"pass_rate": now} if now else {},
        baseline_judged={"pass_rate": before} if before else {},
    )


def the_margin(grounds: Grounds) -> Check:
    return next(check for check in checks_of(grounds) if check.key == "pass_rate:margin")


def test_a_margin_is_held_by_the_difference_of_both_corrected_rates(
    runs: tuple[Run, Run],
) -> None:
    sides = corrected(170), corrected(100)

    check = the_margin(judged(runs, *sides, **MARGIN, calibrated_only=True))

    assert sides[0].corrected is not None
    assert sides[1].corrected is not None
    assert check.finding.code == "worse_than_baseline"
    assert check.difference == rate_difference(sides[0].corrected, sides[1].corrected)
    assert (check.baseline, check.observed) == (sides[0].corrected, sides[1].corrected)
    assert check.raw is not None
    assert check.raw.point == pytest.approx(0.91)
    assert check.correction.startswith("The difference of the corrected rates of both runs was")
    assert "the baseline's is 85 %" in check.correction
    assert "the run's is 50 %" in check.correction


def test_where_judges_count_uncorrected_both_corrected_rates_stand_beside(
    runs: tuple[Run, Run],
) -> None:
    check = the_margin(judged(runs, corrected(170), corrected(100), **MARGIN))

    assert (check.answer, check.finding.code) == ("pass", "holds")
    assert check.corrected is not None
    assert check.baseline_corrected is not None
    assert (check.baseline_corrected.point, check.corrected.point) == (0.85, 0.5)
    assert check.correction.startswith("The judge's own verdicts were held: ")
    assert "Corrected by people the baseline's is 85 %" in check.correction


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        (UNSURE, corrected(180), "The pass rate of the baseline rests on a judge"),
        (Judged(3), corrected(180), "held against people on 3 answers only"),
        (corrected(180), UNSURE, "come in groups"),
        (None, UNSURE, "come in groups"),
    ],
)
def test_both_judges_must_be_corrected(
    runs: tuple[Run, Run], before: Judged | None, now: Judged, told: str
) -> None:
    check = the_margin(judged(runs, before, now, **MARGIN, calibrated_only=True))

    assert (check.answer, check.finding.code) == ("inconclusive", "not_calibrated")
    assert told in check.finding.reason
    assert check.finding.evidence
    assert "was held" not in check.correction
    assert "were held" not in check.correction


def test_corrected_rates_of_runs_over_other_records_are_not_compared(
    runs: tuple[Run, Run],
) -> None:
    grounds = judged(runs, corrected(170), corrected(170), **MARGIN, calibrated_only=True)
    body = body_of(comparison_of(*runs))
    shared = body.shared.model_copy(update={"shared": 150, "only_baseline": 50})

    check = the_margin(replace(grounds, paired=body.model_copy(update={"shared": shared})))

    assert check.finding.code == "not_calibrated"
    assert "these share 150 records only" in check.finding.reason


def test_errors_weigh_on_corrected_rates_too(workspace: Workspace) -> None:
    version = make_version(workspace, 200)
    before = a_run(workspace, 180, 20, version=version)
    after = a_run(workspace, 140, 0, *[TIMED_OUT] * 60, version=version)
    sides = corrected(180), corrected(190)

    found = {
        check.key: check
        for check in checks_of(
            judged(
                (before, after),
                *sides,
                metrics=[{"metric": "pass_rate", "margin": 0.1, "at_least": 0.8}],
                calibrated_only=True,
            )
        )
    }

    for key in ("pass_rate:margin", "pass_rate:at_least"):
        assert found[key].answer == "inconclusive"
        assert "With errors as fails the answer would be fail" in found[key].finding.reason


def test_slices_of_a_judge_tell_what_is_held_and_do_not_count_where_only_corrected_ones_do(
    runs: tuple[Run, Run],
) -> None:
    asked: dict[str, Any] = {"slices": [{"families": ["length"]}]}
    sides = corrected(180), corrected(180)

    [_, lenient] = checks_of(judged(runs, *sides, **asked))
    [_, strict] = checks_of(judged(runs, *sides, **asked, calibrated_only=True))

    assert lenient.answer == "pass"
    assert lenient.raw is not None
    assert lenient.corrected == sides[1].corrected
    assert lenient.correction.startswith("The judge's own verdicts were held: ")
    assert strict.finding.code == "not_calibrated"
    assert "a slice" in strict.finding.reason
    assert not strict.correction.startswith("The judge's own")
