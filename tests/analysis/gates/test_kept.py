"""What gates said stays as it was said, whichever way somebody would change it."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from apps.accounts.models import AuditEvent, User, Workspace
from apps.analysis.gates.overriding import override
from apps.analysis.gates.policies.changing import create_policy
from apps.analysis.models import Baseline, GateDecision, GateOverride, GatePolicyVersion
from tests.runs.building import make_version

from .building import AT, a_decision, a_policy, a_run, a_spec, approved

KEPT = (GatePolicyVersion, Baseline, GateDecision, GateOverride)
MARGIN = [{"metric": "pass_rate", "margin": 0.05}]


@pytest.fixture
def rows(workspace: Workspace, alice: User) -> dict[str, Any]:
    """One of each, by the name of its model."""
    version, policy = make_version(workspace, 20), a_policy(workspace, metrics=MARGIN)
    approved(policy, a_run(workspace, 20, version=version))
    decision = a_decision(a_run(workspace, 20, version=version), policy)
    override(decision, answer="fail", reason="Not on a Friday.", by=alice, now=AT)
    return {model.__name__: model._default_manager.get() for model in KEPT}


@pytest.mark.parametrize("name", [model.__name__ for model in KEPT])
def test_a_row_is_neither_saved_again_nor_deleted(rows: dict[str, Any], name: str) -> None:
    row = rows[name]

    with pytest.raises(TypeError, match="never changed"):
        row.save()
    with pytest.raises(TypeError, match="never changed"):
        row.save(update_fields=["is_current"])
    with pytest.raises(TypeError, match="never changed"):
        row.delete()

    row.refresh_from_db()


@pytest.mark.parametrize("name", [model.__name__ for model in KEPT])
def test_no_query_changes_rows(rows: dict[str, Any], name: str) -> None:
    found = type(rows[name]).objects
    same = {"pk": rows[name].pk}

    for change in (
        lambda: found.update(**same),
        lambda: found.filter(**same).update(**same),
        lambda: found.filter(**same).delete(),
        lambda: found.all().delete(),
        lambda: found.update_or_create(**same, defaults=same),
    ):
        with pytest.raises(TypeError, match="never changed"):
            change()

    assert found.count() == 1


def test_no_row_takes_the_place_of_another(rows: dict[str, Any]) -> None:
    copy = GateDecision(**{f.attname: getattr(rows["GateDecision"], f.attname) for f in _columns()})
    copy.answer = "fail"

    with pytest.raises(IntegrityError), transaction.atomic():
        copy.save()

    assert GateDecision.objects.get().answer == "inconclusive"


def test_nor_by_way_of_what_it_belongs_to(rows: dict[str, Any]) -> None:
    policy, decision = rows["Baseline"].policy, rows["GateDecision"]

    for related in (policy.versions, policy.baselines, decision.overrides):
        with pytest.raises(TypeError, match="never changed"):
            related.update(pk=1)
        with pytest.raises(TypeError, match="never changed"):
            related.all().delete()


def test_what_stands_gives_way_and_nothing_else_of_it_changes(rows: dict[str, Any]) -> None:
    before = rows["Baseline"]

    assert before.policy.baselines.stand_down() == 1

    after = Baseline.objects.get()
    assert (after.is_current, after.run, after.reason) == (False, before.run, before.reason)


def test_each_change_has_a_line_in_the_audit_log(
    rows: dict[str, Any], workspace: Workspace, alice: User
) -> None:
    made = create_policy(workspace=workspace, name="x", spec=a_spec(), by=alice, now=AT, via="api")

    told = AuditEvent.objects.filter(verb__startswith="gate").order_by("pk")
    assert list(told.values_list("verb", "actor", "object_id")) == [
        ("gate_policy.created", None, rows["Baseline"].policy_id),
        ("gate_policy.baseline_approved", None, rows["Baseline"].policy_id),
        ("gate.decided", None, rows["GateDecision"].pk),
        ("gate.overridden", alice.pk, rows["GateDecision"].pk),
        ("gate_policy.created", alice.pk, made.pk),
    ]


def _columns() -> Any:
    return GateDecision._meta.concrete_fields
