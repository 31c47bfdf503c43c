"""Which policy is meant, by its name or without saying, and which run is its latest."""

from django.core.exceptions import ValidationError

from apps.accounts.models import Workspace
from apps.analysis.models import GatePolicy
from apps.datasets.naming import unknown
from apps.runs.models import Run

SAY_WHICH = "Several policies would do: say which one"
MOST_NAMES = 20


def policy_for(run: Run, name: str = "") -> GatePolicy:
    """By name or id; without one the only active policy of the run's dataset, else the only one.

    Raises ValidationError that lists what there is.
    """
    active = GatePolicy.objects.active().filter(workspace=run.workspace_id).order_by("name")
    if name:
        return _named(list(active), name)
    dataset = run.dataset_version.dataset_id
    own = [policy for policy in active if policy.dataset_id == dataset]
    return _only(own or [policy for policy in active if policy.dataset_id is None] or list(active))


def _named(active: list[GatePolicy], name: str) -> GatePolicy:
    ids = {policy.pk: policy for policy in active}
    names = {policy.name: policy for policy in active}
    found = ids.get(name) or names.get(name)
    if found is None:
        raise ValidationError(unknown("gate policy", name, names))
    return found


def _only(found: list[GatePolicy]) -> GatePolicy:
    if not found:
        raise ValidationError("There is no gate policy here yet: a lead makes one under Decide.")
    if len(found) > 1:
        names = ", ".join(policy.name for policy in found[:MOST_NAMES])
        raise ValidationError(f"{SAY_WHICH} ({names}).")
    return found[0]


def latest_run(workspace: Workspace, name: str = "", *, open_too: bool = False) -> Run:
    """The newest run that has ended, or that is under way too.

    Of the dataset of the policy that is named, or of the only one. Raises ValidationError that
    says what to do.
    """
    active = list(GatePolicy.objects.active().filter(workspace=workspace).order_by("name"))
    policy = _named(active, name) if name else active[0] if len(active) == 1 else None
    runs = workspace.runs.filter(archived_at=None).select_related("workspace")
    if not open_too:
        runs = runs.exclude(completed_at=None)
    dataset = policy.dataset if policy else None
    if dataset is not None:
        runs = runs.filter(dataset_version__dataset=dataset)
    found = runs.order_by("-pk").first()
    if found is None:
        which = f"run of {dataset}" if dataset else "run"
        raise ValidationError(
            f"No {which} has ended yet: start one, and wait for it, or name another run."
        )
    return found
