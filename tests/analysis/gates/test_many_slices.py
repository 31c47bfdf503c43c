"""Slices in sentences: the worst by name, however many there are, and what was not excluded."""

import json
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from django.test import Client

from apps.accounts.models import Workspace
from apps.analysis.gates.checking.concluding import checks_of, judgment_of
from apps.analysis.gates.checking.grounds import Grounds
from apps.analysis.gates.contracts import Check, DecidedCounts, DecidedRun, Judgment
from apps.analysis.gates.telling.linking import report_of
from apps.analysis.gates.telling.reports import as_json, as_junit, as_markdown, as_text
from apps.analysis.gates.telling.wording import slice_name
from apps.analysis.models import GateDecision
from apps.datasets.models import DatasetVersion
from apps.metrics.compared import Difference, Moves, PairedRuns, Shared, Verdict
from apps.metrics.contracts import Interval
from apps.runs.models import Run

from .asking import text_of
from .building import a_decision, a_policy, a_run, a_spec

N = 60
NO_HARM = "Where no harm is seen, n is too small to exclude a loss of more than 5 points."


def _around(point: float) -> Interval:
    return Interval(point=point, low=point - 0.1, high=point + 0.1, n=N, method="tango")


def _slice(number: int, verdict: Verdict = "inconclusive", family: str = "segment") -> Difference:
    """The higher the number the worse where it is worse."""
    return Difference(
        metric="pass_rate",
        family=family,
        value=f"customers of kind {number:03}" if family else "",
        binary=True,
        higher_is_better=True,
        moves=Moves(better=0, worse=10, same=N - 10, error=0, unscored=0),
        baseline=_around(0.8),
        candidate=_around(0.7),
        difference=_around(-0.2 - number / 1000 if verdict == "worse" else -0.01),
        p=0.01,
        test="mcnemar",
        verdict=verdict,
        reason="told",
        detectable=0.2,
    )


def _run(name: str) -> DecidedRun:
    counts = dict.fromkeys(DecidedCounts.model_fields, 0) | {"total": N, "valid": N, "evaluated": N}
    return DecidedRun(
        id=name,
        title=name,
        kind="evaluation",
        state="completed",
        dataset="d@1",
        contract="",
        plan_sha256="",
        counted_in="records",
        counts=DecidedCounts(**counts),
    )


def _concluded(slices: int, worse: int, **asked: Any) -> tuple[Check, list[Check], Judgment]:
    """The check of all slices, what else is told one by one, and the judgment."""
    rows = [_slice(each, "worse" if each < worse else "inconclusive") for each in range(slices)]
    shared = Shared(shared=N, only_baseline=0, only_candidate=0, repeated=0)
    paired = PairedRuns(shared=shared, whole=(_slice(0, family=""),), slices=tuple(rows), seed=1)
    grounds = Grounds(
        spec=a_spec(slices=[{"margin": 0.05, **asked}]),
        run=_run("candidate"),
        figures={},
        trials=1,
        baseline=_run("before"),
        paired=paired,
    )
    _, whole, *others = checks = checks_of(grounds)
    said = judgment_of(checks, change_id="v2", policy="p", run="candidate", needs_baseline=True)
    return whole, others, said


def test_the_worst_of_many_slices_are_named_and_all_of_them_are_listed() -> None:
    whole, others, said = _concluded(400, worse=120)

    assert whole.finding.reason == (
        "Of 400 slices 120 fail (segment “customers of kind 119”, segment “customers of kind 118”, "
        f"segment “customers of kind 117” and 117 more), 280 show no harm. {NO_HARM}"
    )
    assert len(whole.slices) == 400
    assert [check.value[-3:] for check in others] == [str(119 - at) for at in range(8)]
    assert said.blocking_reason is not None
    assert said.blocking_reason.endswith(" And 115 more.")
    assert said.next_action[-1] == "And 115 more: see the checks."


def test_ten_times_the_slices_take_no_more_words() -> None:
    few, many = (
        sum(
            len(f"{each.title}{each.finding.reason}{each.finding.evidence}")
            for each in (whole, *others)
        )
        for whole, others, _ in (_concluded(40, worse=40), _concluded(400, worse=400))
    )

    assert many < few * 1.1


def test_slices_that_must_be_proven_name_the_worst_of_those_that_are_open() -> None:
    whole, others, _ = _concluded(50, worse=0, proof="non_inferior")

    assert whole.finding.reason.startswith("Of 50 slices 50 are inconclusive (segment “customers")
    assert whole.finding.reason.endswith(" and 47 more).")
    assert len(others) == 8


def test_a_long_name_of_a_slice_is_cut_in_the_sentence() -> None:
    assert slice_name("metadata.topic", "x" * 500) == f"topic “{'x' * 59}…”"


# -- what passes without being proven ---------------------------------------------------------


@pytest.fixture
def unproven(workspace: Workspace, version: DatasetVersion, before: Run) -> GateDecision:
    """Languages of 33 records each, where nothing got worse."""
    after = a_run(workspace, 180, 20, version=version)
    slices = [{"families": ["metadata.language"], "margin": 0.05}]
    return a_decision(after, a_policy(workspace, slices=slices), before)


def test_no_harm_seen_is_said_in_place_of_pass_wherever_the_check_is_told(
    lead: Client, unproven: GateDecision
) -> None:
    report = report_of(unproven, base="", reader=None)

    page = text_of(lead, f"decisions/{unproven.pk}/")
    found = json.loads(as_json(report))
    [check] = [each for each in found["checks"] if each["slices"]]
    cases = Xml.fromstring(as_junit(report)).iter("testcase")
    [told] = [case for case in cases if "slices" in case.attrib["classname"]]

    assert (found["verdict"], check["answer"], check["code"]) == ("pass", "pass", "no_harm_seen")
    assert {each["code"] for each in check["slices"]} == {"no_harm_seen"}
    assert NO_HARM in check["reason"]
    assert page.count("No harm seen") == 7
    assert NO_HARM in page
    assert [child.tag for child in told] == ["system-out"]
    assert NO_HARM in (told[0].text or "")
    assert as_markdown(report).count("✅ no harm seen") == 7
    assert NO_HARM in as_markdown(report)
    assert "  NO HARM SEEN  The pass rate of no slice" in as_text(report)
    assert NO_HARM in as_text(report)


def test_what_was_decided_before_is_told_in_the_words_of_then(
    lead: Client, unproven: GateDecision
) -> None:
    body = json.loads(json.dumps(unproven.body).replace('"no_harm_seen"', '"holds"'))
    [check] = [each for each in body["checks"] if each["slices"]]
    check["finding"]["reason"] = "Of 6 slices 6 hold."
    same = {
        field.attname: getattr(unproven, field.attname)
        for field in GateDecision._meta.concrete_fields
        if field.name not in ("id", "body")
    }
    old = GateDecision.objects.create(**same, body=body)

    page = text_of(lead, f"decisions/{old.pk}/")
    report = report_of(old, base="", reader=None)

    assert "Of 6 slices 6 hold." in page
    assert "No harm seen" not in page
    assert "no harm seen" not in as_markdown(report).replace(check["title"], "")
    assert "  PASS          The pass rate of no slice" in as_text(report)
