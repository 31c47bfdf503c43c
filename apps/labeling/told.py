"""A campaign as JSON: what the API answers and commands print."""

from datetime import datetime
from typing import Any

from .models import Campaign
from .progress import (
    PersonProgress,
    QueueProgress,
    StepProgress,
    drawn_of,
    people_of,
    queues_of,
    rows_of,
    steps_under_way,
)

Facts = dict[str, Any]


def row_facts(campaign: Campaign) -> Facts:
    """A campaign in a list, without what would be a query."""
    return {
        "campaign_id": campaign.pk,
        "name": campaign.name,
        "kind": campaign.kind,
        "state": campaign.state,
        "run_id": campaign.run_id,
        "blind": campaign.blind,
        "consensus": campaign.consensus,
        "created_at": _moment(campaign.created_at),
        "opened_at": _moment(campaign.opened_at),
        "closed_at": _moment(campaign.closed_at),
        "archived_at": _moment(campaign.archived_at),
        "synced_at": _moment(campaign.synced_at),
    }


def campaign_facts(campaign: Campaign) -> Facts:
    [row] = rows_of([campaign])
    drawn = drawn_of(campaign)
    return {
        **row_facts(campaign),
        "guidelines": campaign.guidelines,
        "plan": campaign.plan or None,
        "items": row.total,
        "items_done": row.done,
        "sample": drawn.model_dump(mode="json") | {"lacks_gold": drawn.lacks_gold}
        if drawn
        else None,
        "queues": [_queue(each) for each in queues_of(campaign)] if campaign.plan else [],
        "people": [_person(each) for each in people_of(campaign)],
        "under_way": [_step(each) for each in steps_under_way(campaign)],
    }


def _queue(queue: QueueProgress) -> Facts:
    names = (
        *("task", "title", "calibration", "min_submitted", "items", "pushed"),
        *("enough", "submitted", "discarded"),
    )
    return {name: getattr(queue, name) for name in names}


def _person(person: PersonProgress) -> Facts:
    return {
        "name": person.name,
        "settles": person.settles,
        "answers": person.answers,
        "discarded": person.discarded,
        "last_at": _moment(person.last_at),
        "seconds_per_answer": person.seconds,
    }


def _step(step: StepProgress) -> Facts:
    names = ("step", "state", "done", "total", "error")
    return {name: getattr(step, name) for name in names}


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat().replace("+00:00", "Z") if moment else None
