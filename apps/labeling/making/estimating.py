"""What a campaign would come to, before it is made: items, answers, hours."""

from collections import Counter
from collections.abc import Iterator
from math import ceil
from random import Random
from typing import NamedTuple

from apps.accounts.models import Workspace
from apps.contract import Contract
from apps.datasets.models import DatasetVersion
from apps.grading.subjects import Subject
from apps.labeling.plans import Plan
from apps.labeling.progress import pace_in
from apps.labeling.sending.subjects import Subjects
from apps.labeling.sending.units import is_for_everybody, pair_sha256, units_of
from apps.labeling.task_types import tasks_of
from apps.runs.models import Result, Run

from .creating import about_overlap
from .drawing import sample_of, shuffled
from .sampling import Drawn

LOOKED_AT = 200
"""Answers that are looked at; of more, the others are taken to be like them."""


class TaskEstimate(Contract):
    """Items of a task, and how many of the answers looked at have nothing to judge in it."""

    title: str
    items: int
    calibration: int
    without: int
    missing: str


class Estimate(Contract):
    """`answers` is what all people give together, `each` one of them at most.

    `pace` is seconds an answer as measured in this workspace, `seconds` those of one person by it;
    None before anything was measured. `refused` says why so many people cannot give so many.
    """

    drawn: Drawn
    looked_at: int
    exact: bool
    tasks: tuple[TaskEstimate, ...]
    answers: int
    each: int
    is_even: bool
    pace: float | None
    seconds: float | None
    wanted: int | None
    refused: str

    @property
    def is_short(self) -> bool:
        """Whether fewer can be taken than are wanted."""
        return self.wanted is not None and self.drawn.drawn < self.wanted


def estimate(
    source: Run | DatasetVersion, plan: Plan, people: int, workspace: Workspace
) -> Estimate:
    """Looks at 200 answers at most; `people` is how many label; while nobody is chosen, as one."""
    drawn, subjects, exact = _looked_at(source, plan)
    factor = drawn.drawn / len(subjects) if subjects else 0.0
    tasks = tuple(_tasks(plan, subjects, factor))
    least, everybody = plan.min_submitted, max(1, people)
    answers = sum(
        task.calibration * everybody + (task.items - task.calibration) * least for task in tasks
    )
    each = ceil(answers / everybody)
    pace = pace_in(workspace)
    return Estimate(
        drawn=drawn,
        looked_at=len(subjects),
        exact=exact,
        tasks=tasks,
        answers=answers,
        each=each,
        is_even=answers % everybody == 0,
        pace=pace,
        seconds=None if pace is None else each * pace,
        wanted=plan.sample.size,
        refused=about_overlap(people, least) if people else "",
    )


class _Look(NamedTuple):
    """`exact` where exactly these answers would be taken."""

    drawn: Drawn
    subjects: list[Subject]
    exact: bool


def _looked_at(source: Run | DatasetVersion, plan: Plan) -> _Look:
    return _at_run(source, plan) if isinstance(source, Run) else _at_version(source, plan)


def _at_run(run: Run, plan: Plan) -> _Look:
    draws, drawn = sample_of(run, plan.sample)
    keys = [each.key for each in shuffled(draws, plan.sample.seed)[:LOOKED_AT]]
    known = Subjects()
    results = Result.objects.filter(pk__in=keys).select_related("record", "run")
    return _Look(drawn, [known.of(result) for result in results], len(keys) == len(draws))


def _at_version(version: DatasetVersion, plan: Plan) -> _Look:
    """Of records from all over it those that came with an answer; its run is made with the
    campaign only."""
    apart = max(1, ceil(version.total / LOOKED_AT))
    places = _one_of_each(apart, version.total, plan.sample.seed)
    known = Subjects()
    found = [known.of_record(each) for each in version.records.filter(ordinal__in=places)]
    answered = [subject for subject in found if subject is not None]
    answers = round(version.accepted * len(answered) / max(1, len(found)))
    size = min(plan.sample.size or answers, answers)
    drawn = Drawn(how=plan.sample.how, answers=answers, eligible=answers, drawn=size)
    return _Look(drawn, answered, apart == 1 and size == len(answered))


def _one_of_each(apart: int, total: int, seed: int) -> list[int]:
    """By chance, so that what comes back at every so many records is not all or none of it."""
    dice = Random(seed)  # noqa: S311
    return [dice.randrange(at, min(at + apart, total)) for at in range(0, total, apart)]


def _tasks(plan: Plan, subjects: list[Subject], factor: float) -> Iterator[TaskEstimate]:
    pairs = [pair_sha256(subject) for subject in subjects]
    for task in tasks_of(plan):
        counts: Counter[str] = Counter()
        for subject, pair in zip(subjects, pairs, strict=True):
            units = list(units_of(task, subject))
            counts["items"] += len(units)
            counts["without"] += not units
            counts["calibration"] += sum(
                is_for_everybody(
                    pair,
                    unit,
                    task.task_type,
                    seed=plan.sample.seed,
                    share=plan.calibration_share,
                )
                for unit in units
            )
        scaled = {
            name: round(counts[name] * factor) for name in ("items", "calibration", "without")
        }
        yield TaskEstimate(title=task.title, missing=task.missing, **scaled)
