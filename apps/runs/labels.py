"""What people say went wrong in a result: one primary failure, further ones, and their history."""

from collections.abc import Iterable
from datetime import datetime
from typing import Unpack

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max

from apps.accounts.models import User
from apps.accounts.services import record as audit
from apps.accounts.services.audit import Door
from apps.contract import Contract
from apps.grading.attribution import ATTRIBUTIONS

from .models import Failure, FailureLabel, Result

LONGEST_NOTE = 5_000
NO_FAILURE = f"is not a failure that has a name: use {', '.join(Failure.values)}."
NO_ATTRIBUTION = f"is no attribution: use {', '.join(ATTRIBUTIONS)}."


class Said(Contract):
    """What a label says; `secondary` in the order of the taxonomy (`in_order`)."""

    primary: str
    secondary: tuple[str, ...] = ()
    attribution: str = ""
    note: str = ""


def label_failure(
    result: Result, said: Said, *, by: User | None, now: datetime, **door: Unpack[Door]
) -> FailureLabel:
    """Put this label in the place of the present one, which stays in the history.

    Saying again what stands changes nothing. Raises ValidationError for words that do not exist,
    or a failure that is both primary and secondary.
    """
    check(said)
    with transaction.atomic():
        before = _present(result)
        if before is not None and said_by(before) == said:
            return before
        _switch_off(result)
        label = FailureLabel.objects.create(
            result=result,
            seq=_next_seq(result),
            primary=said.primary,
            secondary=list(said.secondary),
            attribution=said.attribution,
            note=said.note,
            by=by,
            at=now,
        )
        changes = _changes(before, said)
        audit(
            workspace=result.run.workspace,
            actor=by,
            verb="result.labelled",
            obj=result,
            changes=changes,
            **door,
        )
    return label


def label_again(
    label: FailureLabel, *, by: User | None, now: datetime, **door: Unpack[Door]
) -> FailureLabel:
    """Go back to what an earlier label said: a new label, so the history only grows."""
    return label_failure(label.result, said_by(label), by=by, now=now, **door)


def withdraw_label(result: Result, *, by: User | None, **door: Unpack[Door]) -> None:
    """Nobody says any more that something went wrong; what was said stays in the history."""
    with transaction.atomic():
        before = _present(result)
        if before is None:
            return
        _switch_off(result)
        audit(
            workspace=result.run.workspace,
            actor=by,
            verb="result.label_withdrawn",
            obj=result,
            changes=_changes(before, None),
            **door,
        )


def check(said: Said) -> None:
    """Raises ValidationError with a sentence for whoever labels."""
    unknown = [word for word in (said.primary, *said.secondary) if word not in Failure.values]
    if unknown:
        raise ValidationError(f"{unknown[0][:60]} {NO_FAILURE}")
    if said.primary in said.secondary:
        raise ValidationError(f"{said.primary} is the primary failure and cannot be a further one.")
    if said.attribution and said.attribution not in ATTRIBUTIONS:
        raise ValidationError(f"{said.attribution[:60]} {NO_ATTRIBUTION}")
    if len(said.note) > LONGEST_NOTE:
        raise ValidationError(f"The note may have {LONGEST_NOTE:,} characters.")


def said_by(label: FailureLabel) -> Said:
    return Said(
        primary=label.primary,
        secondary=in_order(label.secondary),
        attribution=label.attribution,
        note=label.note,
    )


def in_order(words: Iterable[str]) -> tuple[str, ...]:
    """Each once, as the taxonomy lists them and unknown ones last: one choice is one label."""
    given = dict.fromkeys(words)
    known = [word for word in Failure.values if word in given]
    return (*known, *(word for word in given if word not in known))


def _present(result: Result) -> FailureLabel | None:
    """The label that stands; the result is locked until the transaction ends."""
    Result.objects.select_for_update(no_key=True).get(pk=result.pk)
    return FailureLabel.objects.filter(result=result, is_current=True).first()


def _switch_off(result: Result) -> None:
    FailureLabel.objects.filter(result=result, is_current=True).update(is_current=False)


def _next_seq(result: Result) -> int:
    last = FailureLabel.objects.filter(result=result).aggregate(last=Max("seq"))["last"]
    return 0 if last is None else last + 1


def _changes(before: FailureLabel | None, after: Said | None) -> dict[str, list[object]]:
    """{field: [before, after]}; the note is somebody's text and stays with the label."""
    old = said_by(before).model_dump(mode="json") if before else {}
    new = after.model_dump(mode="json") if after else {}
    names = ("primary", "secondary", "attribution")
    return {
        name: [old.get(name), new.get(name)] for name in names if old.get(name) != new.get(name)
    }
