"""What the checks come to, and the judgment on the release. Pure."""

from collections.abc import Sequence

from apps.analysis.gates.checking.failures import (
    blocking_checks,
    budget_check,
    of_a_part,
    run_check,
)
from apps.analysis.gates.checking.grounds import Grounds
from apps.analysis.gates.checking.limits import failure_limit, limit_checks
from apps.analysis.gates.checking.margins import margin_checks
from apps.analysis.gates.checking.slices import slice_checks
from apps.analysis.gates.checking.standing import NO_BASELINE
from apps.analysis.gates.contracts import Check, Judgment
from apps.analysis.gates.telling.wording import name_of, slice_name
from apps.metrics.gated import Answer
from apps.metrics.gating import WITH_ERRORS, answer_of

MOST_TOLD = 5
"""Reasons and actions in the judgment; the checks have all of them."""


def checks_of(grounds: Grounds) -> tuple[Check, ...]:
    """Every check that the policy asks for, in the order in which people read them."""
    asked = (
        *blocking_checks(grounds),
        *limit_checks(grounds),
        *margin_checks(grounds),
        *slice_checks(grounds),
        *failure_limit(grounds),
        *budget_check(grounds),
    )
    return run_check(grounds), *(of_a_part(grounds.run, check) for check in asked)


def judgment_of(
    checks: Sequence[Check], *, change_id: str, policy: str, run: str, needs_baseline: bool
) -> Judgment:
    """In the words of release judgments: what blocks it, and what to do next."""
    answer = answer_of(check.finding for check in checks)
    deciding, unlisted = _deciding(checks, answer), _unlisted(checks, answer)
    reasons = [check.finding.reason for check in deciding]
    return Judgment(
        change_id=change_id,
        gate=policy,
        verdict=answer,
        blocking_reason=None if answer == "pass" else _told(reasons, unlisted),
        next_action=_to_release(change_id, policy, run, needs_baseline)
        if answer == "pass"
        else tuple(_to_do(deciding, unlisted)),
    )


def _deciding(checks: Sequence[Check], answer: Answer) -> list[Check]:
    """Those that have this answer; slices one by one where they are listed so."""
    found = [check for check in checks if check.answer == answer]
    listed = {
        check.key.removesuffix(f":{check.family}={check.value}") for check in found if check.family
    }
    return [
        check
        for check in found
        if check.what != "slices" or check.family or check.key not in listed
    ]


def _unlisted(checks: Sequence[Check], answer: Answer) -> int:
    """Slices with this answer that are no check of their own: there are too many of them."""
    slices = sum(seen.answer == answer for check in checks for seen in check.slices)
    return slices - sum(bool(check.family) and check.answer == answer for check in checks)


def _told(reasons: Sequence[str], unlisted: int) -> str:
    """Each reason once, and what several say of errors behind the last of them."""
    told = list(dict.fromkeys(reasons))
    left = len(told) - MOST_TOLD + unlisted
    more = f" And {left:,} more." if left > 0 else ""
    return " ".join(_once(told[:MOST_TOLD])) + more


def _once(told: Sequence[str]) -> list[str]:
    said = [each.partition(f" {WITH_ERRORS}") for each in told]
    endings = [of_errors for _, _, of_errors in said]
    return [
        why if of_errors in endings[at + 1 :] else f"{why}{between}{of_errors}"
        for at, (why, between, of_errors) in enumerate(said)
    ]


def _to_release(change_id: str, policy: str, run: str, needs_baseline: bool) -> tuple[str, ...]:
    release = f"Release {change_id}: every check holds."
    after = f"Once it is out, approve {run} as the baseline of {policy}."
    return (release, after) if needs_baseline else (release,)


def _to_do(deciding: Sequence[Check], unlisted: int) -> list[str]:
    """Each once, the first ones first."""
    actions = list(dict.fromkeys(_action(check) for check in deciding))
    left = len(actions) - MOST_TOLD + unlisted
    return [*actions[:MOST_TOLD], f"And {left:,} more: see the checks."] if left > 0 else actions


def _action(check: Check) -> str:
    if check.answer == "inconclusive":
        return _settle(check)
    match check.finding.code:
        case "critical_violation":
            return f"Mend what fails rule {_rule(check)}: no answer may."
        case "slice_worse":
            which = f"of {_slice(check)} " if check.family else ""
            return f"Look at the records {which}that got worse, and mend them."
        case "worse_than_baseline" if check.family:
            return f"Look at the records of {_slice(check)} that got worse."
        case "worse_than_baseline":
            return f"Look at the records that got worse by {name_of(check.metric)}, and mend them."
        case "rate_regression":
            return "Find out why more results fail with an error than of the baseline."
        case _:
            return f"Mend it so that {_lower(check.title)}."


def _settle(check: Check) -> str:
    """The evidence that would settle it, as something to get."""
    if check.finding == NO_BASELINE:
        return "Approve a baseline for the policy, or name one."
    evidence = check.finding.evidence or check.finding.reason
    return f"{check.title}: {_lower(evidence)}"


def _slice(check: Check) -> str:
    return slice_name(check.family, check.value)


def _rule(check: Check) -> str:
    return check.key.removeprefix("blocking:")


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
