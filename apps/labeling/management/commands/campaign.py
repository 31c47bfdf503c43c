"""`evalhub campaign create | push | sync | status NAME`."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, get_args

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from apps.accounts.commands import REFUSED, chosen_workspace, person
from apps.accounts.models import User, Workspace
from apps.labeling.desk.protocol import DeskDown, DeskRefused
from apps.labeling.following import wait_for
from apps.labeling.making import control, own_questions
from apps.labeling.making.creating import create_campaign
from apps.labeling.making.naming import campaign_named, people_named, plan_named, source_named
from apps.labeling.models import Campaign
from apps.labeling.plans import How
from apps.labeling.progress import StepProgress
from apps.labeling.sending.preparing import source_of
from apps.labeling.syncing import sync_now
from apps.labeling.task_types import MAKERS
from apps.labeling.told import campaign_facts
from apps.runs.commands import NOBODY_WORKS
from apps.runs.following import workers_are_up


class Command(BaseCommand):
    help = (
        "Make a campaign, bring it to Argilla, read what people answered, tell how far it is. "
        "With --wait, or where no worker is up, push and sync do the work here. Exit status: 2 "
        "for what is refused, and of --wait where the campaign failed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        create = actions.add_parser("create", help="make a campaign over a run or a dataset")
        push = actions.add_parser("push", help="bring it to Argilla, or go on with it")
        sync = actions.add_parser("sync", help="read what people have answered")
        status = actions.add_parser("status", help="tell how far it is")
        for action in (create, push, sync, status):
            action.add_argument("name", help="of the campaign" if action is create else "or its id")
            action.add_argument("--workspace", help="its slug; needless where there is only one")
            action.add_argument("--user", help="who does it, for the audit log")
            action.add_argument("--json", action="store_true", dest="as_json", help="print JSON")
        for action in (create, push, sync):
            action.add_argument("--wait", action="store_true", help="return when it is done")
        _add_choices(create)

    def handle(
        self, *, action: str, workspace: str | None, user: str | None, as_json: bool, **options: Any
    ) -> None:
        self.by: User | None = person(user) if user else None
        self.as_json = as_json
        actions = {
            "create": self._create,
            "push": self._push,
            "sync": self._sync,
            "status": self._status,
        }
        try:
            actions[action](chosen_workspace(workspace, self.by), **options)
        except ValidationError as error:
            raise CommandError(_first(error), returncode=REFUSED) from None
        except (DeskDown, DeskRefused) as error:
            raise CommandError(str(error), returncode=REFUSED) from None

    def _create(self, workspace: Workspace, *, name: str, wait: bool, **given: Any) -> None:
        source = source_named(workspace, run=given["run"], dataset=given["dataset"])
        people = people_named(workspace, given["people"])
        plan = plan_named(_plan_of(given))
        campaign = create_campaign(
            workspace=workspace,
            run=source_of(source, by=self.by),
            name=name,
            plan=plan,
            people=people,
            settlers=people_named(workspace, given["settlers"]),
            guidelines=_text_of(given["guidelines"]),
            blind=not given["sighted"],
            consensus=given["consensus"],
            by=self.by,
            now=timezone.now(),
            via="command",
        )
        self._conclude(campaign, wait=wait)

    def _push(self, workspace: Workspace, *, name: str, wait: bool, **_: Any) -> None:
        campaign = campaign_named(workspace, name)
        control.try_again(campaign, by=self.by, via="command")
        self._conclude(campaign, wait=wait or not workers_are_up())

    def _sync(self, workspace: Workspace, *, name: str, wait: bool, **_: Any) -> None:
        campaign = campaign_named(workspace, name)
        control.sync(campaign)
        if wait or not workers_are_up():
            synced = sync_now(campaign)
            self.stderr.write(f"{campaign}: {synced.told}.")
            campaign.refresh_from_db()
        self._tell(campaign)

    def _status(self, workspace: Workspace, *, name: str, **_: Any) -> None:
        self._tell(campaign_named(workspace, name))

    def _conclude(self, campaign: Campaign, *, wait: bool) -> None:
        if wait:
            self._heard = ""
            wait_for(campaign, self._note)
        campaign.refresh_from_db()
        self._tell(campaign)
        if wait and campaign.state == Campaign.State.FAILED:
            sys.exit(REFUSED)
        if campaign.state == Campaign.State.PREPARING and not workers_are_up():
            self.stderr.write(NOBODY_WORKS)

    def _note(self, step: StepProgress) -> None:
        """Say what it waits for, once."""
        if step.error and step.error != self._heard:
            self._heard = step.error
            self.stderr.write(f"{step.told}: {step.error}")

    def _tell(self, campaign: Campaign) -> None:
        facts = campaign_facts(campaign)
        if self.as_json:
            self.stdout.write(json.dumps(facts, indent=2))
            return
        for line in _lines(facts):
            self.stdout.write(line)


def _add_choices(create: ArgumentParser) -> None:
    """What a campaign is made of."""
    create.add_argument("--run", default="", help="whose answers: its id, its name, or latest")
    create.add_argument("--dataset", default="", help="or a dataset whose records have answers")
    create.add_argument(
        "--task", action="append", choices=list(MAKERS), required=True, help="may be repeated"
    )
    create.add_argument("--own", type=Path, metavar="FILE", help="own questions, one a line")
    create.add_argument("--sample", choices=get_args(How), default="all")
    create.add_argument("--size", type=int, help="how many answers the sample has")
    create.add_argument("--by", default="", metavar="FAMILY", help="slices, of --sample stratified")
    create.add_argument("--gold", type=int, default=0, help="hidden gold items (default: 0)")
    create.add_argument("--seed", type=int, default=0, help="of the sample (default: 0)")
    create.add_argument("--people", type=_names, required=True, metavar="NAME,NAME")
    create.add_argument("--settlers", type=_names, default=[], metavar="NAME,NAME")
    create.add_argument("--overlap", type=int, default=1, help="answers an item waits for")
    create.add_argument("--calibration-share", type=float, default=0.1, help="everybody labels it")
    create.add_argument("--audit-share", type=float, default=0.0, help="is reviewed all the same")
    create.add_argument("--guidelines", type=Path, metavar="FILE", help="Markdown")
    create.add_argument("--language", choices=["en", "de"], default="en")
    create.add_argument("--consensus", choices=Campaign.Consensus.values, default="majority")
    create.add_argument("--sighted", action="store_true", help="who labels may open scores")


def _plan_of(given: dict[str, Any]) -> dict[str, Any]:
    return {
        "tasks": given["task"],
        "sample": {
            "how": given["sample"],
            "size": given["size"],
            "family": given["by"],
            "seed": given["seed"],
            "gold": given["gold"],
        },
        "min_submitted": given["overlap"],
        "calibration_share": given["calibration_share"],
        "audit_share": given["audit_share"],
        "language": given["language"],
        "own": _questions_of(given["own"]),
    }


def _questions_of(file: Path | None) -> tuple[Any, ...]:
    try:
        return own_questions.read(_text_of(file))
    except ValueError as error:
        raise ValidationError(f"{file}: {error}") from None


def _text_of(file: Path | None) -> str:
    try:
        return file.read_text() if file else ""
    except OSError as error:
        raise ValidationError(f"{file}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ValidationError(f"{file}: this is not UTF-8 text.") from None


def _names(text: str) -> list[str]:
    return [name for name in (each.strip() for each in text.split(",")) if name]


def _first(error: ValidationError) -> str:
    """The first sentence, with its field where it has one."""
    if not hasattr(error, "error_dict"):
        return str(error.messages[0])
    field, messages = next(iter(error.message_dict.items()))
    return f"{field}: {messages[0]}"


def _gold_in(sample: dict[str, Any] | None) -> list[str]:
    """How many hidden items with a known answer there are, where some were wanted."""
    if not sample or not sample["gold_wanted"]:
        return []
    counted = f"  {sample['gold']:,} of {sample['gold_wanted']:,} hidden gold items"
    return [f"{counted}: {sample['lacks_gold']}" if sample["lacks_gold"] else counted]


def _lines(facts: dict[str, Any]) -> list[str]:
    told = [
        f"{facts['campaign_id']}  {facts['name']}  {facts['state']}",
        f"  {facts['items_done']:,} of {facts['items']:,} items have enough answers",
    ]
    told += _gold_in(facts["sample"])
    told += [
        f"  {queue['title']}{', calibration' if queue['calibration'] else ''}: "
        f"{queue['enough']:,} of {queue['items']:,} done, {queue['submitted']:,} answers, "
        f"{queue['discarded']:,} discards, {queue['pushed']:,} in Argilla"
        for queue in facts["queues"]
    ]
    told += [f"  {each['name']}: {each['answers']:,} answers" for each in facts["people"]]
    told += [
        f"  {step['step']}: {step['done']:,} of {step['total']:,}"
        + (f", {step['error']}" if step["error"] else "")
        for step in facts["under_way"]
    ]
    return told
