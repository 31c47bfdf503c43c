"""The workspace's variables: what `${{ NAME }}` stands for in a file."""

import re

from django.core.exceptions import ValidationError
from django.db import transaction

from apps.accounts.models import User, Workspace
from apps.accounts.services import record as audit

from .models import Variable

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}")
MOST = 500
LONGEST_VALUE = 2_000


def add(*, workspace: Workspace, name: str, value: str, by: User, request_id: str = "") -> Variable:
    require(name, value)
    if workspace.variables.filter(name=name).exists():
        raise ValidationError(f"There is a variable {name} already: change its value.")
    if workspace.variables.count() >= MOST:
        raise ValidationError(f"A workspace has {MOST} variables at most.")
    with transaction.atomic():
        variable = Variable.objects.create(workspace=workspace, name=name, value=value)
        audit(
            workspace=workspace,
            actor=by,
            verb="added a variable",
            obj=variable,
            changes={"value": ["", value]},
            request_id=request_id,
        )
    return variable


def change(variable: Variable, *, value: str, by: User, request_id: str = "") -> None:
    """What was read before keeps the value that it was read with."""
    require(variable.name, value)
    before, variable.value = variable.value, value
    with transaction.atomic():
        variable.save(update_fields=["value"])
        audit(
            workspace=variable.workspace,
            actor=by,
            verb="changed a variable",
            obj=variable,
            changes={"value": [before, value]},
            request_id=request_id,
        )


def delete(variable: Variable, *, by: User, request_id: str = "") -> None:
    with transaction.atomic():
        audit(
            workspace=variable.workspace,
            actor=by,
            verb="deleted a variable",
            obj=variable,
            changes={"value": [variable.value, ""]},
            request_id=request_id,
        )
        variable.delete()


def require(name: str, value: str) -> None:
    """Raise ValidationError for a name or a value that no variable can have."""
    if not NAME.fullmatch(name):
        raise ValidationError(
            {"name": "A name has letters, digits and _, does not begin with a digit: BASE_URL."}
        )
    if len(value) > LONGEST_VALUE:
        raise ValidationError({"value": f"A value has {LONGEST_VALUE:,} characters at most."})
    if "\0" in value:
        raise ValidationError({"value": "A value cannot hold a null character."})
