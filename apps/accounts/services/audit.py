"""The audit log's only writer."""

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from django.contrib.auth.models import AnonymousUser
from django.db import models

from apps.accounts.models import AuditEvent, User, Workspace

Via = Literal["page", "api", "command", "admin", "worker"]


class Door(TypedDict, total=False):
    """By which door a change came; services pass it on to `record`."""

    via: Via
    request_id: str


def record(
    *,
    workspace: Workspace | None,
    actor: User | AnonymousUser | None,
    verb: str,
    obj: models.Model,
    changes: Mapping[str, Any] | None = None,
    request_id: str = "",
    via: Via = "page",
) -> AuditEvent:
    """Note who did what to which object; call it in the transaction of the change.

    `changes` says {field: [before, after]}; secrets have no place in it.
    """
    person = actor if isinstance(actor, User) else None
    return AuditEvent.objects.create(
        workspace=workspace,
        actor=person,
        actor_label=(person.label if person else f"the {via}")[:200],
        via=via,
        verb=verb,
        object_type=obj._meta.label_lower,
        object_id=str(obj.pk),
        object_label=str(obj)[:200],
        changes=dict(changes or {}),
        request_id=request_id,
    )
