"""A person's word in the gate's place: named, with a reason, and the gate's own stays."""

import pytest
from django.core.exceptions import ValidationError

from apps.accounts.models import AuditEvent, User, Workspace
from apps.analysis.gates.overriding import (
    OverriddenMeanwhile,
    current_override,
    effective_answer,
    history,
    override,
    takes_back,
)
from apps.analysis.gates.stored import decisions
from apps.analysis.models import GateDecision

from .building import AT, a_decision, a_policy, a_run


@pytest.fixture
def decision(workspace: Workspace) -> GateDecision:
    return a_decision(a_run(workspace, 100, 100), a_policy(workspace))


def test_the_override_counts_and_the_gates_own_answer_stays(
    decision: GateDecision, alice: User
) -> None:
    before = decision.body

    said = override(
        decision, answer="pass", reason=" The labels were wrong. ", by=alice, now=AT, via="page"
    )

    decision.refresh_from_db()
    assert (decision.answer, decision.body) == ("fail", before)
    assert effective_answer(decision) == "pass"
    assert (said.seq, said.reason, said.by) == (1, "The labels were wrong.", alice)
    event = AuditEvent.objects.get(verb="gate.overridden")
    assert (event.actor, event.changes) == (alice, {"answer": ["fail", "pass"]})


def test_another_override_takes_the_first_one_back(
    decision: GateDecision, alice: User, ada: User
) -> None:
    override(decision, answer="pass", reason="It is urgent.", by=alice, now=AT)
    override(decision, answer="fail", reason="It can wait.", by=ada, now=AT, replaces=1)

    assert effective_answer(decision) == "fail"
    assert [(each.seq, each.answer, each.by) for each in history(decision)] == [
        (2, "fail", ada),
        (1, "pass", alice),
    ]
    current = current_override(decision)
    assert current is not None
    assert (current.seq, takes_back(current)) == (2, True)


def test_decisions_that_were_fetched_before_are_overridden_as_they_stand(
    decision: GateDecision, workspace: Workspace, alice: User
) -> None:
    fetched = decisions(alice, workspace).get()
    override(decision, answer="pass", reason="It is urgent.", by=alice, now=AT)

    override(fetched, answer="inconclusive", reason="Look again.", by=alice, now=AT, replaces=1)

    events = AuditEvent.objects.filter(verb="gate.overridden").order_by("pk")
    assert [event.changes["answer"] for event in events] == [
        ["fail", "pass"],
        ["pass", "inconclusive"],
    ]


@pytest.mark.parametrize(
    ("answer", "reason"), [("perhaps", "Because."), ("pass", " "), ("pass", "x" * 2_001)]
)
def test_an_override_has_an_answer_and_a_reason(
    decision: GateDecision, alice: User, answer: str, reason: str
) -> None:
    with pytest.raises(ValidationError):
        override(decision, answer=answer, reason=reason, by=alice, now=AT)

    assert effective_answer(decision) == "fail"


@pytest.mark.parametrize("replaces", [0, 2])
def test_an_override_replaces_the_one_that_was_seen_and_no_other(
    decision: GateDecision, alice: User, ada: User, replaces: int
) -> None:
    override(decision, answer="pass", reason="It is urgent.", by=alice, now=AT)

    with pytest.raises(OverriddenMeanwhile, match=f"by {alice.label}: pass.* nothing was changed"):
        override(decision, answer="fail", reason="No.", by=ada, now=AT, replaces=replaces)

    assert effective_answer(decision) == "pass"
    assert AuditEvent.objects.filter(verb="gate.overridden").count() == 1


def test_the_gates_own_answer_overrides_nothing(decision: GateDecision, alice: User) -> None:
    with pytest.raises(ValidationError, match="The gate itself says fail"):
        override(decision, answer="fail", reason="So it is.", by=alice, now=AT)
