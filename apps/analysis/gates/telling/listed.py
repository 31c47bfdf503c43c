"""Policies and decisions as pages list them, for one person."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Max, Q, QuerySet

from apps.accounts.models import User, Workspace
from apps.analysis.gates import stored
from apps.analysis.gates.overriding import current_override, effective_answer, takes_back
from apps.analysis.gates.policies.asked import Changed, changed_between
from apps.analysis.gates.policies.spec import stored_policy
from apps.analysis.gates.telling.linking import overridden_in
from apps.analysis.models import (
    Baseline,
    GateDecision,
    GateOverride,
    GatePolicy,
    GatePolicyVersion,
)
from apps.contract import Contract
from apps.runs.models import Run


class DecisionFilter(Contract):
    """Empty means any; `answer` is the one that counts."""

    policy: str = ""
    run: str = ""
    answer: str = ""


@dataclass(frozen=True)
class DecisionRow:
    """`answer` counts; `override` is who said so in the gate's place."""

    decision: GateDecision

    @property
    def answer(self) -> str:
        return effective_answer(self.decision)

    @property
    def override(self) -> GateOverride | None:
        return current_override(self.decision)

    @property
    def is_taken_back(self) -> bool:
        """Whether somebody overrode the gate, and its own answer counts again."""
        return self.override is not None and takes_back(self.override)

    @property
    def change(self) -> str:
        """What is released; by the run's title where nobody named a change."""
        decision = self.decision
        nameless = decision.change_id == decision.run_id
        return decision.run.title if nameless else decision.change_id

    @property
    def is_for_once(self) -> bool:
        """Against another baseline than the approved one."""
        return bool(self.decision.is_approved is False)  # type: ignore[attr-defined] # by decisions


@dataclass(frozen=True)
class PolicyRow:
    """`baseline` is the approved run, where this person may see it: else `is_hidden`."""

    policy: GatePolicy
    number: int
    baseline: Run | None
    is_hidden: bool
    last: DecisionRow | None


@dataclass(frozen=True)
class VersionRow:
    version: GatePolicyVersion
    changed: Changed | None
    """None for the first."""


@dataclass(frozen=True)
class BaselineRow:
    """A baseline of the past or present; `run` is None where it was taken back or is hidden."""

    said: Baseline
    run: Run | None

    @property
    def is_hidden(self) -> bool:
        return self.said.run_id is not None and self.run is None


def policies(workspace: Workspace, *, archived: bool = False) -> QuerySet[GatePolicy]:
    rows = GatePolicy.objects.filter(workspace=workspace, archived_at__isnull=not archived)
    return rows.select_related("dataset").order_by("name")


def policy_rows(user: User, found: Iterable[GatePolicy]) -> list[PolicyRow]:
    """Four queries, however many they are."""
    listed = list(found)
    numbers = _numbers(listed)
    runs = {each.policy_id: each.run_id for each in _current(listed)}
    seen = Run.objects.visible_to(user).in_bulk([key for key in runs.values() if key])
    last = _last(user, listed)
    return [
        PolicyRow(
            policy=each,
            number=numbers[each.pk],
            baseline=seen.get(runs.get(each.pk) or ""),
            is_hidden=bool(runs.get(each.pk)) and runs[each.pk] not in seen,
            last=last.get(each.pk),
        )
        for each in listed
    ]


def decisions(user: User, workspace: Workspace) -> QuerySet[GateDecision]:
    """Those that the person may see, with all that a line says: of the body nothing but that.

    `judgment`, `policy` and `is_approved` are cut out of it by the database, as JSON.
    """
    rows = stored.decisions(user, workspace).select_related("run").defer("body")
    return rows.annotate(
        judgment=F("body__judgment"),
        policy=F("body__policy"),
        is_approved=F("body__baseline_is_approved"),
    )


def row_facts(decision: GateDecision) -> dict[str, Any]:
    """A line of `decisions` as JSON, in the words of the whole report."""
    said = overridden_in(decision)
    return {
        **decision.judgment,  # type: ignore[attr-defined] # by decisions
        "decision_id": decision.pk,
        "answer": effective_answer(decision),
        "override": said.model_dump(mode="json") if said else None,
        "decided_by": decision.decided_by.label if decision.decided_by else None,
        "decided_at": decision.decided_at,
        "policy": decision.policy,  # type: ignore[attr-defined] # by decisions
        "run_id": decision.run_id,
        "baseline_id": decision.baseline_id,
    }


def filtered(rows: QuerySet[GateDecision], wanted: DecisionFilter) -> QuerySet[GateDecision]:
    if wanted.policy:
        rows = rows.filter(policy_version__policy=wanted.policy)
    if wanted.run:
        rows = rows.filter(run=wanted.run)
    if wanted.answer:
        current = GateOverride.objects.filter(is_current=True)
        overridden = Q(pk__in=current.filter(answer=wanted.answer).values("decision"))
        own = Q(answer=wanted.answer) & ~Q(pk__in=current.values("decision"))
        rows = rows.filter(overridden | own)
    return rows


def version_rows(policy: GatePolicy) -> list[VersionRow]:
    """The newest first, each with what it asks differently from the one before."""
    versions = list(policy.versions.select_related("created_by").order_by("number"))
    specs = [stored_policy(each.spec) for each in versions]
    changes = [None, *map(changed_between, specs, specs[1:])]
    rows = [VersionRow(*pair) for pair in zip(versions, changes, strict=True)]
    return rows[::-1]


def baseline_rows(user: User, rows: Iterable[Baseline]) -> list[BaselineRow]:
    said = list(rows)
    keys = [each.run_id for each in said if each.run_id]
    seen = Run.objects.visible_to(user).in_bulk(keys)
    return [BaselineRow(each, seen.get(each.run_id or "")) for each in said]


def _numbers(listed: list[GatePolicy]) -> dict[str, int]:
    rows = GatePolicyVersion.objects.filter(policy__in=listed).order_by()
    return dict(rows.values("policy").annotate(last=Max("number")).values_list("policy", "last"))


def _current(listed: list[GatePolicy]) -> QuerySet[Baseline]:
    return Baseline.objects.filter(policy__in=listed, is_current=True)


def _last(user: User, listed: list[GatePolicy]) -> dict[str, DecisionRow]:
    """By policy; keys are ULIDs, so the largest is the newest."""
    if not listed:
        return {}
    every = decisions(user, listed[0].workspace).filter(policy_version__policy__in=listed)
    seen = stored.that_count(every)
    newest = seen.order_by().values("policy_version__policy").annotate(last=Max("pk"))
    keys = [row["last"] for row in newest]
    return {each.policy_version.policy_id: DecisionRow(each) for each in seen.filter(pk__in=keys)}
