"""Every judge and rule of a campaign's run against what people said: by a job, after each analysis.

Which labels count and what the answer to an item is, is `labeling.truth`'s to say.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Now
from django.utils import timezone

from apps.analysis.models import Calibration, CalibrationStep
from apps.datasets.formats.per_task import SPEAKS_AGAINST
from apps.jobs import asking
from apps.jobs.leases import Lease
from apps.jobs.models import JobState
from apps.labeling.models import Campaign, Question, Report, Review
from apps.labeling.settling.raising import raise_reviews, withdraw_reviews
from apps.labeling.settling.truth import Truth, Unit, truths
from apps.metrics.labels import Reliability
from apps.runs.models import Run, RunStep, Score

from .frames import Passages, People, Verdict, frame_of, human_verdicts, judged_by, passages_of
from .judges import Judges, judges_of
from .matching import same_question

MOST = 100
"""Pairs of a question and a judge that are computed; the matched ones come first."""

if TYPE_CHECKING:
    import pandas as pd

Key = tuple[str, str, str, str]
"""Rule, judge, method and verifier of a score."""

CONTRACT: Key = ("", "", "", "")
"""The verdict of the whole contract."""

FOLLOWED = "consensus"
"""The report of an analysis after which judges are held against its truths."""


def perform(step: CalibrationStep, lease: Lease) -> None:
    campaign = Campaign.objects.select_related("run", "workspace").get(pk=step.campaign_id)
    as_of = _analysed(campaign)
    _pair(campaign)
    found, passages = truths(campaign), passages_of(campaign)
    conflicts: set[Unit] = set()
    for calibration in _chosen(campaign):
        conflicts |= _compute(calibration, campaign, found, passages)
        if not lease.renew():
            return
    conflicts = {unit for unit in conflicts if found[unit].source != "gold"}
    with transaction.atomic():
        lease.require()
        raise_reviews(campaign, dict.fromkeys(sorted(conflicts), Review.Reason.JUDGE))
        withdraw_reviews(campaign, [Review.Reason.JUDGE], keep=conflicts)
        CalibrationStep.objects.filter(pk=step.pk).update(as_of=as_of)
        _end(step, lease)


def after_sweep() -> None:
    """Campaigns that were analysed since, or whose run has other numbers since it was asked for
    (scores came in): their step begins, or begins again."""
    fresh = Q(campaign__calibration_step__as_of__isnull=True) | Q(
        as_of__gt=F("campaign__calibration_step__as_of")
    )
    scored = RunStep.objects.filter(
        run=OuterRef("campaign__run"),
        name=RunStep.Name.SUMMARISE,
        finished_at__gt=OuterRef("campaign__calibration_step__asked_at"),
    )
    rows = Report.objects.filter(fresh | Exists(scored), kind=FOLLOWED)
    asked = Q(campaign__calibration_step__state__in=[JobState.PENDING, JobState.SENT])
    running = Q(campaign__calibration_step__state=JobState.RUNNING)
    for campaign in rows.exclude(asked | running).values_list("campaign", flat=True)[:20]:
        ask_again(campaign)


def ask_again(campaign_id: str) -> None:
    """Have a campaign's judges computed soon; a step under way runs once more."""
    rows = CalibrationStep.objects.filter(campaign=campaign_id)
    with transaction.atomic():
        CalibrationStep.objects.get_or_create(campaign_id=campaign_id)
        rows.update(asked_at=Now())
        asking.ask_again(rows)


def warm_up() -> None:
    """The statistics take a second or two to import."""
    import_module("apps.metrics.calibration")


def _end(step: CalibrationStep, lease: Lease) -> None:
    rows = CalibrationStep.objects.filter(pk=step.pk)
    asked_at = rows.select_for_update(no_key=True).values_list("asked_at", flat=True).get()
    if asked_at > step.asked_at:
        lease.close(JobState.PENDING, not_before=Now())
    else:
        lease.close()


def _analysed(campaign: Campaign) -> object:
    rows = Report.objects.filter(campaign=campaign, kind=FOLLOWED)
    return rows.values_list("as_of", flat=True).first() or timezone.now()


def _pair(campaign: Campaign) -> None:
    """A row for each question that can be passed and each judge of the run; of known ones what
    people said of them stays."""
    judges = judges_of(campaign.run)
    rows = [
        _calibration(campaign, question, key, judges)
        for question in People(campaign).questions
        for key in _keys(campaign.run)
    ]
    rows.sort(key=lambda each: not each.matched)
    Calibration.objects.bulk_create(
        rows[:MOST],
        update_conflicts=True,
        update_fields=["judge_versions"],
        unique_fields=["campaign", "question", *("rule", "judge", "method", "verifier")],
    )


def _calibration(campaign: Campaign, question: Question, key: Key, judges: Judges) -> Calibration:
    rule, judge, method, verifier = key
    return Calibration(
        campaign=campaign,
        question=question,
        rule=rule,
        judge=judge,
        method=method,
        verifier=verifier,
        yes_fails=question.name in SPEAKS_AGAINST,
        judge_versions=judges.get((rule, verifier), []),
        matched=bool(rule)
        and same_question(question.task_type, question.name, rule=rule, verifier=verifier),
    )


def _keys(run: Run) -> list[Key]:
    """What scores of the run there are; by the first answers, for records may bring rules."""
    rows = Score.objects.filter(run=run).values_list("rule", "judge", "method", "verifier")
    found = sorted(rows.distinct())
    judged = run.results.exclude(verdict="").exists()
    return ([CONTRACT] if judged else []) + list(islice(found, MOST))


def _chosen(campaign: Campaign) -> Iterator[Calibration]:
    rows = Calibration.objects.filter(campaign=campaign).select_related("question")
    yield from rows.order_by("-matched", "pk")[:MOST]


def _compute(
    calibration: Calibration,
    campaign: Campaign,
    found: Mapping[Unit, Truth],
    passages: Passages,
) -> set[Unit]:
    """Store the numbers; the units on which judge and people differ, where both ask the same."""
    from apps.metrics.calibration import calibrate

    people = human_verdicts(campaign, calibration, found, passages)
    judged = judged_by(campaign.run, calibration)
    frame = frame_of(people, judged)
    numbers = calibrate(frame, sample=people.sample)
    body = numbers.model_copy(update={"reliability": _reliability(frame)})
    conflicts = _conflicts(people.units, judged) if calibration.matched else set()
    Calibration.objects.filter(pk=calibration.pk).update(
        body=body.model_dump(mode="json"), conflicts=len(conflicts), as_of=timezone.now()
    )
    return conflicts


def _reliability(frame: "pd.DataFrame") -> Reliability | None:
    """None of a judge that gives no scores."""
    from apps.metrics.reliability import reliability

    if frame["score"].isna().all():
        return None
    people = frame["human"].astype(float)
    return reliability(frame["score"], people, 1 / frame["probability"])


def _conflicts(units: Mapping[Unit, tuple[int, bool]], judged: Mapping[int, Verdict]) -> set[Unit]:
    return {
        unit
        for unit, (result, passed) in units.items()
        if result in judged and judged[result].passed is (not passed)
    }
