"""Who judges in a run: a target for every name that rules use."""

from collections.abc import Mapping
from types import MappingProxyType

from django.core.exceptions import ValidationError

from apps.accounts.models import Workspace
from apps.grading.models import ContractVersion
from apps.targets.models import Target, TargetVersion

DEFAULT = ""
"""The name of the judge that rules use which name none."""


def judges_for(
    workspace: Workspace,
    contract: ContractVersion | None,
    judge: TargetVersion | None,
    known: Mapping[str, TargetVersion] = MappingProxyType({}),
) -> dict[str, TargetVersion]:
    """The judge for every name that the contract's rules use, the `known` ones before others.

    The one named for the run also stands where the contract asks none: rules that came with the
    data may ask it. ValidationError where a judge is missing.
    """
    spec = contract.parsed if contract else None
    names = {name for rule in spec.judge_rules for name in rule.judge_names} if spec else set()
    chosen = {**known, DEFAULT: judge or known.get(DEFAULT)}
    if chosen[DEFAULT] and (spec is None or spec.data_rules == "combine"):
        names.add(DEFAULT)
    return {name: chosen.get(name) or _judge_named(workspace, contract, name) for name in names}


def _judge_named(
    workspace: Workspace, contract: ContractVersion | None, name: str
) -> TargetVersion:
    active = Target.objects.filter(workspace=workspace, archived_at=None)
    target = active.filter(name=name).first()
    if target is None:
        raise ValidationError(_no_judge(contract, name))
    return target.current


def _no_judge(contract: ContractVersion | None, name: str) -> str:
    if name == DEFAULT:
        return f"The contract {contract} asks a judge: choose the target that judges."
    return f"The contract {contract} asks the judge {name}, but no target has that name."
