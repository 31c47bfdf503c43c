"""What changes targets, tests them, and shares out their pace."""

from datetime import datetime, timedelta
from typing import Unpack

from asgiref.sync import async_to_sync
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import DateTimeField, ExpressionWrapper, F, Max, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Greatest, Now

from apps.accounts.models import User, Workspace
from apps.accounts.services.archiving import set_archived
from apps.accounts.services.audit import Door, record
from apps.artifacts.canonical import sha256_hex
from apps.fields import check_name

from .adapters import open_adapter
from .contracts import Ask, Message, Reply
from .models import RateLimit, Target, TargetVersion
from .placeholders import example_record
from .specs import HttpJsonSpec, RecordedSpec, TargetSpec, spec_text

MAX_NAME = 120
_TAKEN = "There is a target “{}” already: choose another name."
TEST_SECONDS = 10
TEST_QUESTION = "This is a connection test. Reply with the word OK."


@transaction.atomic
def create_target(
    *, workspace: Workspace, name: str, spec: TargetSpec, by: User | None, **door: Unpack[Door]
) -> Target:
    """A target whose version 1 is the spec; ValidationError where the name is taken."""
    name = _free_name(workspace, name)
    target = _named(Target(workspace=workspace, name=name, kind=spec.kind, created_by=by))
    RateLimit.objects.create(target=target)
    version = _version_of(target, spec)
    changes = {"spec_sha256": [None, version.spec_sha256]}
    record(workspace=workspace, actor=by, verb="created", obj=target, changes=changes, **door)
    return target


@transaction.atomic
def edit_target(
    *,
    target: Target,
    spec: TargetSpec,
    by: User | None,
    name: str | None = None,
    **door: Unpack[Door],
) -> TargetVersion:
    """The version with this spec, a new one only where there was none; runs keep theirs."""
    target = Target.objects.select_for_update().get(pk=target.pk)
    _check_editable(target, spec)
    before, name_before = target.current, target.name
    if name is not None and name.strip() != target.name:
        target.name = _free_name(target.workspace, name)
    version = _version_of(target, spec)
    target.current_number = version.number
    target.save(update_fields=["name", "current_number"])
    pairs: dict[str, tuple[object, object]] = {
        "name": (name_before, target.name),
        "version": (before.number, version.number),
        "spec_sha256": (before.spec_sha256, version.spec_sha256),
    }
    changes = {field: list(pair) for field, pair in pairs.items() if pair[0] != pair[1]}
    if changes:
        record(
            workspace=target.workspace, actor=by, verb="edited", obj=target, changes=changes, **door
        )
    return version


def archive_target(*, target: Target, by: User | None, now: datetime, **door: Unpack[Door]) -> None:
    """Offer it no more; what ran against it stays."""
    set_archived(target, now, workspace=target.workspace, by=by, verb="archived", **door)


def restore_target(*, target: Target, by: User | None, **door: Unpack[Door]) -> None:
    set_archived(target, None, workspace=target.workspace, by=by, verb="restored", **door)


def test_connection(spec: TargetSpec) -> Reply:
    """The reply to one tiny question, within ten seconds; nothing is stored."""
    if isinstance(spec, RecordedSpec):
        raise ValidationError("Recorded answers come with the dataset: there is nothing to test.")
    template = spec.request_template if isinstance(spec, HttpJsonSpec) else {}
    ask = Ask(
        record_id="connection-test",
        messages=(Message(role="user", content=TEST_QUESTION),),
        record=example_record(template),
        session_id="connection-test",
    )
    hurried = spec.model_copy(update={"timeout_s": min(spec.timeout_s, TEST_SECONDS)})
    return async_to_sync(_once)(hurried, ask)


def grant(target_id: str, *, calls: int, per_minute: int) -> datetime:
    """When the first of `calls` calls may start; the rest follow 60 / per_minute s apart.

    Virtual scheduling: one update moves the moment when the target is next free, on the
    database's clock, so that no two workers are ever given the same moment. Ask for about a
    second's worth of calls at a time.
    """
    span = timedelta(minutes=1) * calls / per_minute
    limit = RateLimit.objects.filter(target_id=target_id)
    with transaction.atomic():
        if not limit.update(next_free_at=_moved_by(span)):
            RateLimit.objects.bulk_create([RateLimit(target_id=target_id)], ignore_conflicts=True)
            limit.update(next_free_at=_moved_by(span))
        return limit.get().next_free_at - span


def _moved_by(span: timedelta) -> Combinable:
    free = Greatest(F("next_free_at"), Now())
    return ExpressionWrapper(free + Value(span), output_field=DateTimeField())


def _version_of(target: Target, spec: TargetSpec) -> TargetVersion:
    text = spec_text(spec)
    sha256 = sha256_hex(text.encode())
    same = target.versions.filter(spec_sha256=sha256).first()
    if same:
        return same
    last = target.versions.aggregate(last=Max("number"))["last"] or 0
    return TargetVersion.objects.create(
        target=target, number=last + 1, spec=text, spec_sha256=sha256
    )


def _check_editable(target: Target, spec: TargetSpec) -> None:
    if target.archived_at is not None:
        raise ValidationError(f"{target} is archived. Restore it before you change it.")
    if spec.kind != target.kind:
        raise ValidationError(
            f"{target} is of kind {target.kind}; for {spec.kind} add another target."
        )


def _free_name(workspace: Workspace, name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= MAX_NAME:
        raise ValidationError(f"Give the target a name of 1 to {MAX_NAME} characters.")
    check_name(name)
    if workspace.targets.filter(name=name).exists():
        raise ValidationError(_TAKEN.format(name))
    return name


def _named(target: Target) -> Target:
    """Store it; ValidationError where somebody took the name a moment ago."""
    try:
        with transaction.atomic():
            target.save(force_insert=True)
    except IntegrityError:
        raise ValidationError(_TAKEN.format(target.name)) from None
    return target


async def _once(spec: TargetSpec, ask: Ask) -> Reply:
    async with open_adapter(spec) as adapter:
        return await adapter.ask(ask)
