"""Making a campaign: everything that decides what people are asked is frozen into its plan."""

import re
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Unpack

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from apps.accounts.models import User, Workspace
from apps.accounts.services import record as audit
from apps.accounts.services.audit import Door
from apps.labeling.desk import desks
from apps.labeling.desk.protocol import RATINGS
from apps.labeling.models import Assignment, Campaign, CampaignStep
from apps.labeling.nudging import ask_for
from apps.labeling.plans import Plan
from apps.labeling.syncing.answers import BETWEEN
from apps.labeling.task_types import showing
from apps.labeling.task_types.base import DISCARD_REASON, NOTES
from apps.naming import unfit_name
from apps.runs.models import TERMINAL, Run, RunState

from .asking import nothing_to_ask
from .drawing import answered

LONGEST_GUIDELINES = 9_500
"""What Argilla takes, less what `sending.cards` says of a task in two parts."""
LONGEST_SLUG = 60
NOWHERE = "People label nowhere here, so that no campaign can be made: EVALHUB_ARGILLA_MODE is off."
TAKEN = "There is a campaign of that name already: choose another name."
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
ANSWERED_IN = (*TERMINAL, RunState.FINALIZING)
_NUMBERS = {str(number) for number in RATINGS}
_RESERVED = showing.NAMES | {DISCARD_REASON, NOTES}


def create_campaign(
    *,
    workspace: Workspace,
    run: Run,
    name: str,
    plan: Plan,
    people: Collection[User],
    settlers: Collection[User] = (),
    guidelines: str = "",
    blind: bool = True,
    consensus: str = Campaign.Consensus.MAJORITY,
    by: User | None,
    now: datetime,
    **door: Unpack[Door],
) -> Campaign:
    """A campaign that prepares itself; raises ValidationError with a sentence by field."""
    if not desks.people_label():
        raise ValidationError(NOWHERE)
    complaints = _complaints(workspace, run, name, plan, people, settlers, guidelines)
    if complaints:
        raise ValidationError(complaints)
    try:
        with transaction.atomic():
            campaign = Campaign.objects.create(
                workspace=workspace,
                run=run,
                kind=Campaign.Kind.DESK,
                name=name.strip(),
                state=Campaign.State.PREPARING,
                guidelines=guidelines,
                plan=plan.model_dump(mode="json"),
                blind=blind,
                consensus=consensus,
                created_by=by,
                created_at=now,
            )
            Campaign.objects.filter(pk=campaign.pk).update(desk_name=desk_name_of(campaign))
            Assignment.objects.bulk_create(
                Assignment(campaign=campaign, user=user, settles=user in settlers)
                for user in people
            )
            audit(workspace=workspace, actor=by, verb="campaign.created", obj=campaign, **door)
            ask_for(campaign.pk, CampaignStep.Name.PREPARE)
    except IntegrityError:
        raise ValidationError({"name": TAKEN}) from None
    campaign.refresh_from_db()
    return campaign


def desk_name_of(campaign: Campaign) -> str:
    """Its workspace in Argilla: readable, and one campaign's alone."""
    return f"{slug_of(campaign)}-{campaign.pk.removeprefix('cmp_').lower()}"


def slug_of(campaign: Campaign) -> str:
    return slugify(campaign.name)[:LONGEST_SLUG].strip("-_") or "campaign"


def _complaints(
    workspace: Workspace,
    run: Run,
    name: str,
    plan: Plan,
    people: Collection[User],
    settlers: Collection[User],
    guidelines: str,
) -> dict[str, str]:
    found = {
        "name": _about_name(workspace, name),
        "run": _about_run(workspace, run),
        "people": about_people(workspace, people, plan.min_submitted),
        "settlers": about_settlers(people, settlers),
        "own": about_own(plan),
        "guidelines": _about_guidelines(guidelines),
    }
    if not found["run"]:
        found["tasks"] = nothing_to_ask(run, plan)
    return {field: complaint for field, complaint in found.items() if complaint}


def _about_name(workspace: Workspace, name: str) -> str:
    if not 0 < len(name.strip()) <= 200:
        return "A campaign needs a name of at most 200 characters."
    if problem := unfit_name(name):
        return problem
    taken = Campaign.objects.of_the_desk().filter(workspace=workspace, name=name.strip())
    return TAKEN if taken.exists() else ""


def _about_run(workspace: Workspace, run: Run) -> str:
    if run.workspace_id != workspace.pk:
        return "The run is of another workspace."
    if run.state not in ANSWERED_IN:
        return f"The run is {run.state}: wait until it has ended, so that nothing is missing."
    return "" if answered(run).exists() else "No record of the run has an answer to label."


def about_people(workspace: Workspace, people: Collection[User], least: int) -> str:
    """What is wrong with those who are to label; empty where nothing is."""
    if not people:
        return "Choose at least one person who labels."
    members = workspace.memberships.values_list("user", flat=True)
    strangers = [user.label for user in people if user.pk not in set(members)]
    if strangers:
        return f"Not a member of this workspace: {', '.join(strangers)}."
    return about_overlap(len(people), least)


def about_overlap(people: int, least: int) -> str:
    """What is wrong where so many people label; empty where nothing is."""
    if least <= people:
        return ""
    labels = "labels" if people == 1 else "label"
    return f"Each item is to get {least} answers, but only {people} {labels}."


def about_settlers(people: Collection[User], settlers: Collection[User]) -> str:
    """What is wrong with those who are to settle; empty where nothing is."""
    others = [user.label for user in settlers if user not in people]
    return f"Who settles labels too: add {', '.join(others)} to the people." if others else ""


def about_own(plan: Plan) -> str:
    """What is wrong with the plan's own questions; empty where nothing is."""
    for asked in plan.own:
        if asked.name in _RESERVED or not _NAME.fullmatch(asked.name):
            return f"A question cannot be called “{asked.name}”: write a-z, 0-9 and _."
        if asked.kind in ("choice", "several") and len(asked.options) < 2:
            return f"Question “{asked.title}” needs at least two options."
        values: Sequence[str] = [option.value for option in asked.options]
        if asked.kind == "rating" and (len(values) < 2 or not {*values} <= _NUMBERS):
            numbers = f"whole numbers from {RATINGS[0]} to {RATINGS[-1]}"
            return f"Question “{asked.title}” needs at least two {numbers}."
        if asked.kind == "several" and any(BETWEEN in value for value in values):
            return f"Question “{asked.title}” has an option with “{BETWEEN}” in it."
        if len(set(values)) < len(values):
            return f"Question “{asked.title}” has an option twice."
    return ""


def _about_guidelines(guidelines: str) -> str:
    if len(guidelines) > LONGEST_GUIDELINES:
        return f"Guidelines have at most {LONGEST_GUIDELINES:,} characters."
    return ""
