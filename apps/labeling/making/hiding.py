"""Items with a known answer, hidden among the others."""

from collections.abc import Iterable
from random import Random
from typing import NamedTuple

from apps.labeling.models import Campaign, Review
from apps.labeling.plans import Sample
from apps.labeling.settling.known import Pair, about, asked_as
from apps.labeling.task_types import tasks_of
from apps.runs.models import Result, Run

from .sampling import Draw

_PAIR = ("record__input_sha256", "response")


class Known(NamedTuple):
    """A chunk of an answer, or all of it (''), that a lead has made gold in a task."""

    result: int
    chunk: str
    task_type: str


def hidden_gold(campaign: Campaign, sample: Sample, drawn: Iterable[Draw]) -> list[Known]:
    """At most as many as the plan says; not those that are drawn anyway."""
    if not sample.gold:
        return []
    known = _known(campaign)
    there = _pairs_of(campaign.run, {each.key for each in drawn}, [each.result for each in known])
    pairs = _pairs({each.result for each in known})
    new = [each for each in known if pairs[each.result] not in there]
    chosen = Random(sample.seed).sample(new, min(sample.gold, len(new)))  # noqa: S311
    return sorted(chosen)


def _known(campaign: Campaign) -> list[Known]:
    """One of each unit and task, by what makes gold known to a campaign."""
    tasks = tasks_of(campaign.planned)
    asked = {
        asked_as(task.task_type, row.name, row.kind, row.title)
        for task in tasks
        for row in task.rows
    }
    rows = (
        Review.objects.filter(
            gold_at__isnull=False, item__campaign__workspace=campaign.workspace_id
        )
        .exclude(item__campaign=campaign)
        .exclude(item__pair_sha256="")
        .order_by("pk")
        .values_list(
            *("item__pair_sha256", "item__chunk", "item__result"),
            *("item__result__record__sha256", "question__task_type", "question__name"),
            *("question__kind", "question__title"),
        )
    )
    found: dict[tuple[Pair, str], Known] = {}
    for pair, chunk, result, record, task_type, *question in rows:
        if asked_as(task_type, *question) in asked:
            unit = about(pair, chunk, record, task_type)
            found.setdefault((unit, task_type), Known(result, chunk, task_type))
    return list(found.values())


def _pairs(results: set[int]) -> dict[int, tuple[str, str]]:
    rows = Result.objects.filter(pk__in=results).values_list("pk", *_PAIR)
    return {pk: (asked, response) for pk, asked, response in rows}


def _pairs_of(run: Run, drawn: set[int], results: Iterable[int]) -> set[tuple[str, str]]:
    """What was asked and answered in the sample, of what the results ask."""
    asked = Result.objects.filter(pk__in=results).values("record__input_sha256")
    rows = run.results.filter(record__input_sha256__in=asked).values_list("pk", *_PAIR)
    return {(question, response) for pk, question, response in rows if pk in drawn}
