"""From a run's results to the sample of a campaign: who may be drawn, and who is."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from apps.datasets.models import FacetMember
from apps.labeling.plans import Sample
from apps.runs.models import Result, ResultStatus, Run
from apps.runs.words import cause_title
from apps.runs.working.carrying import BROKE

from .doubts import doubts_about
from .sampling import Candidate, Draw, Drawn, LeftOut, Stratum, draw, eligible

NO_SLICE = "(none)"
LONGEST_STRATUM = 200

ANSWERED = Q(status=ResultStatus.COMPLETED) | Q(cause__in=BROKE, extra__model__isnull=False)
"""`runs.working.carrying.is_answered`, asked of the database."""


class Lot(NamedTuple):
    """The sample of a run, and what is told of it."""

    draws: list[Draw]
    told: Drawn


def answered(run: Run) -> QuerySet[Result]:
    """The results that have an answer to judge."""
    return run.results.filter(ANSWERED)


def sample_of(run: Run, sample: Sample) -> Lot:
    """The same whenever it is asked for: results of a run that has ended do not change."""
    candidates = _candidates(run, sample)
    draws = draw(candidates, sample)
    told = Drawn(
        how=sample.how,
        answers=len(candidates),
        eligible=eligible(candidates, sample),
        drawn=len(draws),
        strata=_strata(candidates, draws) if sample.how == "stratified" else (),
        left_out=_left_out(run),
    )
    return Lot(draws, told)


def shuffled(draws: Sequence[Draw], seed: int) -> list[Draw]:
    """In no order: neither that of the dataset, nor one that tells why an answer is there."""
    mixed = sorted(draws, key=lambda each: each.key)
    Random(seed).shuffle(mixed)  # noqa: S311
    return mixed


def _candidates(run: Run, sample: Sample) -> list[Candidate]:
    places = list(answered(run).values_list("pk", "ordinal"))
    strata = strata_of(run, sample.family) if sample.how == "stratified" else {}
    doubts = doubts_about(run, sample.how)
    return [
        Candidate(key, strata.get(ordinal, NO_SLICE) if strata else "", doubts.get(key))
        for key, ordinal in places
    ]


def strata_of(run: Run, family: str) -> dict[int, str]:
    """By ordinal: the slice of the family; of a record in several, all of them together."""
    members = FacetMember.objects.filter(
        facet__version=run.dataset_version_id, facet__family=family
    )
    found: dict[int, str] = {}
    for ordinal, value in members.order_by("facet__value").values_list("ordinal", "facet__value"):
        before = found.get(ordinal)
        found[ordinal] = f"{before} + {value}"[:LONGEST_STRATUM] if before else value
    return found


def _strata(candidates: Sequence[Candidate], draws: Sequence[Draw]) -> tuple[Stratum, ...]:
    answers = Counter(each.stratum for each in candidates)
    drawn = Counter(each.stratum for each in draws)
    return tuple(
        Stratum(value=value, answers=count, drawn=drawn[value])
        for value, count in sorted(answers.items())
    )


def _left_out(run: Run) -> tuple[LeftOut, ...]:
    """Results without an answer by what became of them."""
    found = run.results.exclude(pk__in=answered(run).values("pk")).values_list("status", "cause")
    counted = found.annotate(n=Count("pk")).order_by("-n", "status", "cause")
    return tuple(
        LeftOut(reason=_within(cause_title(status, cause)), count=n) for status, cause, n in counted
    )


def _within(title: str) -> str:
    """As words within a sentence."""
    return title[:1].lower() + title[1:]
