"""Finding what a caller named: a campaign, the answers to label, people, a plan."""

from collections.abc import Collection, Mapping
from typing import Any

import pydantic
from django.core.exceptions import ValidationError

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion
from apps.datasets.naming import unknown, version_named
from apps.labeling.models import Campaign
from apps.labeling.plans import Plan
from apps.runs.beginning.naming import run_named
from apps.runs.models import Run

FIELDS = frozenset({*Plan.model_fields, "how", "size", "family", "seed", "gold"})
_ABOUT = {
    "how many answers": "size",
    "which slices": "family",
    "own questions": "own",
    "each task once": "tasks",
}
"""Which field a complaint about the plan as a whole belongs to, by what it says."""


def campaign_named(workspace: Workspace, name: str) -> Campaign:
    """By its id or its name; ValidationError lists what there is."""
    found = campaign_called(workspace, name)
    if found is None:
        campaigns = Campaign.objects.filter(workspace=workspace).active()
        names = campaigns.order_by("-pk").values_list("name", flat=True)
        raise ValidationError(unknown("campaign", name, names))
    return found


def campaign_called(workspace: Workspace, name: str) -> Campaign | None:
    """By its id or its name, one that people answer first; raises ValidationError where several
    imports go by the name."""
    every = Campaign.objects.filter(workspace=workspace).select_related(
        "workspace", "run__dataset_version__dataset"
    )
    named = every.filter(name=name)
    found = every.filter(pk=name).first() or named.of_the_desk().first()
    if found is not None:
        return found
    imports = list(named.order_by("-pk"))
    if len(imports) > 1:
        each = "; ".join(f"{each.pk}: {each} · {each.run.dataset_version}" for each in imports)
        raise ValidationError(
            f"{len(imports)} campaigns are called {name!r}: name one by id. {each}."
        )
    return imports[0] if imports else None


def source_named(workspace: Workspace, *, run: str, dataset: str) -> Run | DatasetVersion:
    if bool(run) == bool(dataset):
        raise ValidationError({"run": "Name a run or a dataset: one of the two."})
    return run_named(workspace, run) if run else version_named(workspace, dataset)


def people_named(workspace: Workspace, names: Collection[str]) -> list[User]:
    """Members by their usernames, in the order of the names."""
    members = User.objects.filter(memberships__workspace=workspace, is_active=True)
    found = {user.username: user for user in members.filter(username__in=names)}
    for name in names:
        if name not in found:
            known = members.order_by("username").values_list("username", flat=True)
            raise ValidationError({"people": unknown("member", name, known)})
    return [found[name] for name in dict.fromkeys(names)]


def plan_named(given: Mapping[str, Any]) -> Plan:
    """The plan of these values; ValidationError with a sentence by field."""
    try:
        return Plan.model_validate(given)
    except pydantic.ValidationError as error:
        raise ValidationError(complaints(error)) from None


def complaints(error: pydantic.ValidationError) -> dict[str, list[str]]:
    """What is wrong with a plan, by field; of the plan as a whole under `tasks`."""
    found: dict[str, list[str]] = {}
    for each in error.errors(include_url=False):
        said = each["msg"].removeprefix("Value error, ")
        place = next((str(part) for part in reversed(each["loc"]) if part in FIELDS), "")
        about = next((field for words, field in _ABOUT.items() if words in said), "tasks")
        field = about if place in ("", "sample") else place
        found.setdefault(field, []).append(f"{said[:1].upper()}{said[1:]}.")
    return found
