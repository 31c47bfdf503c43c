"""Out of the lists and back: the same for whatever a workspace may archive."""

from datetime import datetime
from typing import Any, Unpack

from django.db import transaction
from django.db.models import Model
from django.db.models.expressions import Combinable

from apps.accounts.models import User, Workspace

from .audit import Door, record


@transaction.atomic
def set_archived(
    thing: Model,
    at: datetime | Combinable | None,
    *,
    workspace: Workspace,
    by: User | None,
    verb: str,
    **door: Unpack[Door],
) -> None:
    """Archive it as of a moment, or restore it with None; what is so already is left as it is.

    `verb` says in the audit log what was done.
    """
    rows: Any = type(thing)._default_manager
    others = rows.filter(pk=thing.pk, archived_at__isnull=at is not None)
    if others.update(archived_at=at):
        record(workspace=workspace, actor=by, verb=verb, obj=thing, **door)
