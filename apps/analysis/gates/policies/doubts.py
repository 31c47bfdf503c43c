"""What a policy names and nothing here has: misspelled perhaps, or yet to come."""

from collections.abc import Iterable, Iterator

from apps.accounts.models import User, Workspace
from apps.analysis.gates.policies.spec import TRIALS, PolicySpec, rule_of
from apps.analysis.gates.policies.suggesting import rules_of, trials_of
from apps.analysis.gates.telling.wording import said_families
from apps.datasets.models import Dataset, Facet
from apps.grading.queries import latest_versions

_UNTIL = "until one has, the gate is inconclusive. See that the name is right."


def doubts_about(
    spec: PolicySpec, *, workspace: Workspace, dataset: Dataset | None, user: User
) -> list[str]:
    """Sentences for whoever saves it: the policy stands, and its gate stays open until there are
    such rules, trials and slices. `user` sees no names of runs that are hidden from them."""
    return [
        *_of_rules(spec, workspace, user),
        *_of_trials(spec, workspace, dataset, user),
        *_of_slices(spec, workspace, dataset),
    ]


def _of_rules(spec: PolicySpec, workspace: Workspace, user: User) -> Iterator[str]:
    named = [*spec.blocking_rules, *(rule_of(each.metric) for each in spec.metrics)]
    if not any(named):
        return
    known = {rule.name for each in latest_versions(workspace) for rule in each.parsed.rules}
    known.update(rules_of(user, workspace, None))
    if missing := _missing(named, known):
        yield f"No contract and no run here has a rule named {', '.join(missing)}: {_UNTIL}"


def _of_trials(
    spec: PolicySpec, workspace: Workspace, dataset: Dataset | None, user: User
) -> Iterator[str]:
    found = (TRIALS.fullmatch(each.metric) for each in spec.metrics)
    asked = {int(each["k"]): each[0] for each in found if each}
    if not asked:
        return
    most = trials_of(user, workspace, dataset)
    if missing := [asked[k] for k in sorted(asked) if k > most]:
        whose = f"of {dataset}" if dataset else "here"
        yield f"No run {whose} has as many trials as {', '.join(missing)} takes: {_UNTIL}"


def _of_slices(spec: PolicySpec, workspace: Workspace, dataset: Dataset | None) -> Iterator[str]:
    named = [family for each in spec.slices for family in each.families]
    rows = Facet.objects.filter(version__dataset__workspace=workspace, family__in=named)
    if dataset is not None:
        rows = rows.filter(version__dataset=dataset)
    known = set(rows.order_by().values_list("family", flat=True).distinct()) if named else set()
    if missing := _missing(named, known):
        which = f"No version of {dataset}" if dataset else "No dataset here"
        yield f"{which} has slices by {said_families(missing)}: {_UNTIL}"


def _missing(named: Iterable[str], known: set[str]) -> list[str]:
    """Each once, in the policy's order."""
    return [name for name in dict.fromkeys(named) if name and name not in known]
