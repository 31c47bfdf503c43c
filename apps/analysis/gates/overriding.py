"""A person's word in the gate's place: with their name and a reason, and never without a trace."""

from datetime import datetime
from typing import Unpack

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max, QuerySet

from apps.accounts.models import User
from apps.accounts.services import record
from apps.accounts.services.audit import Door
from apps.analysis.gates.messages.announcing import announce
from apps.analysis.gates.policies.baselines import said_reason
from apps.analysis.models import GateDecision, GateOverride
from apps.analysis.models.gates import Answer


class OverriddenMeanwhile(ValidationError):
    """Somebody else said something in the gate's place since the person looked."""


def override(
    decision: GateDecision,
    *,
    answer: str,
    reason: str,
    by: User,
    now: datetime,
    replaces: int = 0,
    **door: Unpack[Door],
) -> GateOverride:
    """This answer counts from now on; the gate's own and earlier overrides stay in the history.

    `replaces` is the seq of the override that stands, as the person saw it; 0 where they saw none.
    The gate's own answer takes back the one that stands. Raises OverriddenMeanwhile where another
    one stands, and ValidationError for an answer that is none or that the gate gave itself, and
    where the reason is missing.
    """
    if answer not in Answer.values:
        raise ValidationError(f"The answer is one of {', '.join(Answer.values)}.")
    reason = said_reason(reason)
    with transaction.atomic():
        held = GateDecision.objects.select_for_update(no_key=True).get(pk=decision.pk)
        before = effective_answer(held)
        _check_standing(held, replaces, answer)
        held.overrides.stand_down()
        said = GateOverride.objects.create(
            decision=decision, seq=_next_seq(decision), answer=answer, reason=reason, by=by, at=now
        )
        record(
            workspace=decision.workspace,
            actor=by,
            verb="gate.overridden",
            obj=decision,
            changes={"answer": [before, answer]},
            **door,
        )
        announce(decision, override=said)
    return said


def takes_back(said: GateOverride) -> bool:
    """Whether it is the gate's own answer again; the decision was fetched with it."""
    return said.answer == said.decision.answer


def current_override(decision: GateDecision) -> GateOverride | None:
    """No query where the overrides were fetched with the decision."""
    return next((each for each in decision.overrides.all() if each.is_current), None)


def effective_answer(decision: GateDecision) -> str:
    """What counts: the override's answer, else the gate's own."""
    said = current_override(decision)
    return said.answer if said else decision.answer


def history(decision: GateDecision) -> QuerySet[GateOverride]:
    """The newest first."""
    return decision.overrides.select_related("by").order_by("-seq")


def _check_standing(decision: GateDecision, replaces: int, answer: str) -> None:
    """Against a page that was opened before somebody else spoke."""
    stands = decision.overrides.select_related("by").filter(is_current=True).first()
    if replaces != (stands.seq if stands else 0):
        raise OverriddenMeanwhile(_said_meanwhile(stands))
    if answer == decision.answer and (stands is None or takes_back(stands)):
        raise ValidationError(f"The gate itself says {answer}: there is nothing to override.")


def _said_meanwhile(stands: GateOverride | None) -> str:
    if stands is None:
        return "There is no such override: nothing was changed."
    return (
        f"Override {stands.seq} stands, by {stands.by.label}: {stands.answer}. You have not "
        "replaced it, and nothing was changed: look at it, and say again what counts."
    )


def _next_seq(decision: GateDecision) -> int:
    last = decision.overrides.aggregate(last=Max("seq"))["last"]
    return 1 if last is None else last + 1
