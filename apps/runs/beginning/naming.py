"""Finding what a caller named: a target, a contract version, a run, options."""

import re
from collections.abc import Mapping

import pydantic
from django.core.exceptions import ValidationError

from apps.accounts.models import Workspace
from apps.datasets.naming import unknown
from apps.grading.models import ContractVersion
from apps.runs.contracts import StartOptions
from apps.runs.models import Run
from apps.targets.models import Target

_NUMBERED = re.compile(r"(?P<name>.+)@(?P<number>\d{1,9})")


def target_named(workspace: Workspace, name: str) -> Target:
    """By its id or its name; ValidationError lists what there is."""
    active = workspace.targets.filter(archived_at=None)
    found = active.filter(pk=name).first() or active.filter(name=name).first()
    if found is None:
        raise ValidationError(unknown("target", name, active.values_list("name", flat=True)))
    return found


def contract_named(workspace: Workspace, name: str) -> ContractVersion:
    """`name` for its latest version, `name@3` for one, or the id of a contract or a version."""
    versions = ContractVersion.objects.filter(
        contract__workspace=workspace, contract__archived_at=None
    ).select_related("contract")
    numbered = _NUMBERED.fullmatch(name)
    candidates = [
        versions.filter(pk=name),
        versions.filter(contract=name),
        versions.filter(contract__name=name),
    ]
    if numbered:
        number = int(numbered["number"])
        candidates.append(versions.filter(contract__name=numbered["name"], number=number))
    for candidate in candidates:
        if version := candidate.order_by("-number").first():
            return version
    names = versions.order_by("contract__name").values_list("contract__name", flat=True)
    raise ValidationError(unknown("grading contract", name, names))


def run_named(workspace: Workspace, name: str) -> Run:
    """By its id, or the newest with that name; `latest` is the newest of all.

    A regrade is found by a name of its own: where others share it, they have the answers.
    """
    runs = workspace.runs.select_related("workspace").order_by("-pk")
    named = runs.filter(name=name)
    found = (
        runs.filter(pk=name).first()
        or named.exclude(kind=Run.Kind.REGRADE).first()
        or named.first()
    )
    if name == "latest":
        found = runs.first()
    if found is None:
        raise ValidationError(f"There is no run {name!r}: see `evalhub runs`.")
    return found


def options_named(given: Mapping[str, object]) -> StartOptions:
    """What of this a run can be started with; ValidationError names the first that is wrong."""
    known = {name: given[name] for name in StartOptions.model_fields if name in given}
    try:
        return StartOptions.model_validate(known)
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False)[0]
        _, should, wanted = first["msg"].partition(" should ")
        told = f"{first['loc'][0]} should {wanted}." if should else _own_words(first["msg"])
        raise ValidationError(told) from None


def _own_words(message: str) -> str:
    return message.removeprefix("Value error, ")
