"""What tests of every chapter begin with, made by the services that people's actions call."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.accounts.services import create_token
from apps.datasets.models import DatasetVersion
from apps.grading.models import ContractVersion
from apps.grading.rules import ExactMatch
from apps.grading.services import create_contract
from apps.grading.spec import ContractSpec
from apps.jobs import services as jobs
from apps.runs import control
from apps.runs.beginning.starting import order_for, start_run
from apps.runs.contracts import StartOptions
from apps.runs.models import TERMINAL, Run
from apps.targets.models import Target
from apps.targets.services import create_target
from apps.targets.specs import parse_spec
from tests.datasets.documents import a_version, bad_record, document, record


def make_version(
    workspace: Workspace, records: int = 3, *, rejected: int = 0, by: User | None = None
) -> DatasetVersion:
    """A stored version of the dataset `qa`, named by its size; the rejected records come last."""
    rows = [record(number) for number in range(records)]
    rows += [bad_record(records + number) for number in range(rejected)]
    return a_version(workspace, document(*rows, dataset_version=f"{records}+{rejected}"), by)


def make_target(workspace: Workspace, name: str = "model", **settings: Any) -> Target:
    """A scripted target that answers right at once, unless the settings say otherwise."""
    found = workspace.targets.filter(name=name).first()
    scripted = {"kind": "scripted", "wrong_rate": 0, "max_attempts": 1}
    spec = parse_spec(settings if "kind" in settings else {**scripted, **settings})
    return found or create_target(workspace=workspace, name=name, spec=spec, by=None)


def make_contract(workspace: Workspace, name: str = "exact") -> ContractVersion:
    """The answer must be the reference, word for word."""
    found = ContractVersion.objects.filter(contract__workspace=workspace, contract__name=name)
    if not found:
        spec = ContractSpec(rules=(ExactMatch(name="exact"),))
        create_contract(workspace=workspace, name=name, spec=spec, by=None, now=timezone.now())
    return found.select_related("contract").get()


def started_run(
    workspace: Workspace,
    by: User | None = None,
    *,
    version: DatasetVersion | None = None,
    target: Target | None = None,
    **options: Any,
) -> Run:
    """A run that waits for a worker; `options` are those of `StartOptions`."""
    order = order_for(
        workspace=workspace,
        version=version or make_version(workspace, by=by),
        target=target or make_target(workspace),
        contract=make_contract(workspace),
        options=StartOptions(**options),
        by=by,
    )
    return start_run(order, now=timezone.now())


def bearer_of(user: User, workspace: Workspace) -> dict[str, str]:
    """The header of a token that lasts a day."""
    made = create_token(
        user=user,
        workspace=workspace,
        name="test",
        lifetime=timedelta(days=1),
        now=timezone.now(),
        actor=user,
    )
    return {"authorization": f"Bearer {made.plaintext}"}


def work_until_ended(run: Run) -> Run:
    """Do all due work in this process, as `--wait` does where no worker is up."""

    def ended() -> bool:
        run.refresh_from_db()
        return run.state in TERMINAL

    jobs.work_here(ended)
    return run


def ended_run(workspace: Workspace, by: User | None = None, **more: Any) -> Run:
    """A run that was asked, judged, finalised and sealed by the engine."""
    return work_until_ended(started_run(workspace, by, **more))


def cancelled_run(workspace: Workspace, by: User | None = None, **more: Any) -> Run:
    """A run that was cancelled before anybody was asked."""
    run = started_run(workspace, by, **more)
    control.cancel(run, by=by, now=timezone.now())
    return work_until_ended(run)
