"""What pages, the API and commands read about grading contracts."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, OuterRef, Subquery

from apps.accounts.models import Workspace
from apps.contract import Contract

from . import documents
from .contracts import Aspect
from .describing import (
    DATA_RULES,
    TRIALS,
    DiffLine,
    ThresholdLine,
    decision_in_words,
    diff_lines,
    threshold_lines,
)
from .differing import SpecDiff, differences
from .models import ContractVersion, ContractVersionQuerySet, GradingContract
from .rules import Rule
from .spec import ContractSpec
from .wording import Block, blocks, worded

_SHOWN_APART = frozenset({"type", "name", "blocking", "weight", "threshold", "required", "negate"})


class ContractRow(Contract):
    """One line of the contracts page: a contract and its latest version."""

    id: str
    name: str
    description: str
    archived_at: datetime | None
    number: int
    locked: bool
    rules: int
    blocking: int
    asks_judge: bool
    saved_at: datetime
    saved_by: str
    last_used_at: datetime | None


class VersionRow(Contract):
    id: str
    number: int
    locked_at: datetime | None
    saved_at: datetime
    saved_by: str
    spec_sha256: str
    runs: int


class RuleCard(Contract):
    """One rule in words: its settings as (title, value) in the order of its form."""

    name: str
    type: str
    title: str
    blocks: tuple[Block, ...]
    method: str
    aspect: Aspect
    blocking: bool
    weight: float
    threshold: float
    required: bool
    negate: bool
    settings: tuple[tuple[str, str], ...]


class ContractDetail(Contract):
    """One version of a contract, beside the list of all."""

    id: str
    name: str
    description: str
    archived_at: datetime | None
    shown: VersionRow
    versions: tuple[VersionRow, ...]
    spec: ContractSpec
    rules: tuple[RuleCard, ...]
    decision: str
    data_rules: str
    trials: str
    thresholds: tuple[ThresholdLine, ...]
    yaml: str

    @property
    def runs(self) -> int:
        return sum(version.runs for version in self.versions)

    @property
    def latest(self) -> VersionRow:
        return self.versions[0]


class VersionDiff(Contract):
    """Two versions of a contract, by rule and as text; `before` is None for the first."""

    contract_id: str
    name: str
    before: VersionRow | None
    after: VersionRow
    changes: SpecDiff | None
    lines: tuple[DiffLine, ...]
    versions: tuple[VersionRow, ...]


def latest_versions(workspace: Workspace, *, archived: bool = False) -> ContractVersionQuerySet:
    """The latest version of each contract of the workspace, by name."""
    contracts = GradingContract.objects.filter(workspace=workspace)
    contracts = contracts.archived() if archived else contracts.active()
    newest = ContractVersion.objects.filter(contract=OuterRef("pk")).order_by("-number")
    latest = contracts.annotate(latest=Subquery(newest.values("pk")[:1])).values("latest")
    versions = ContractVersion.objects.filter(pk__in=latest)
    return versions.select_related("contract", "created_by").order_by("contract__name")


def contract_list(workspace: Workspace, *, archived: bool = False) -> list[ContractRow]:
    """By name, each with its latest version."""
    return contract_rows(latest_versions(workspace, archived=archived))


def contract_rows(versions: Iterable[ContractVersion]) -> list[ContractRow]:
    """The lines of some contracts by their latest versions; one more query."""
    listed = list(versions)
    used = _last_used(version.contract_id for version in listed)
    return [_contract_row(version, used.get(version.contract_id)) for version in listed]


def contract_detail(contract: GradingContract, number: int | None = None) -> ContractDetail:
    """With the version of that number, else the latest; ContractVersion.DoesNotExist if none."""
    versions = _with_runs(contract)
    shown = next((v for v in versions if number in (None, v.number)), None)
    if shown is None:
        raise ContractVersion.DoesNotExist(f"{contract} has no version {number}")
    spec = shown.parsed
    return ContractDetail(
        id=contract.pk,
        name=contract.name,
        description=contract.description or spec.description,
        archived_at=contract.archived_at,
        shown=_version_row(shown),
        versions=tuple(_version_row(version) for version in versions),
        spec=spec,
        rules=rule_cards(spec.rules),
        decision=decision_in_words(spec),
        data_rules=DATA_RULES[spec.data_rules],
        trials=TRIALS[spec.trials],
        thresholds=threshold_lines(spec.thresholds),
        yaml=documents.write_yaml(spec, name=contract.name),
    )


def version_diff(
    contract: GradingContract, number: int | None = None, since: int | None = None
) -> VersionDiff:
    """What the version (else the latest) says differently from `since`, else the one before it.

    ContractVersion.DoesNotExist where there is none of these numbers.
    """
    versions = _with_runs(contract)
    after = _numbered(versions, number) or versions[0]
    older = next((version for version in versions if version.number < after.number), None)
    before = _numbered(versions, since) or older
    return VersionDiff(
        contract_id=contract.pk,
        name=contract.name,
        before=_version_row(before) if before else None,
        after=_version_row(after),
        changes=differences(before.parsed, after.parsed) if before else None,
        lines=diff_lines(_text(before), _text(after)) if before else (),
        versions=tuple(_version_row(version) for version in versions),
    )


def latest_version(contract: GradingContract) -> ContractVersion:
    """The draft where there is one, else the last locked version."""
    return contract.versions.select_related("contract").latest("number")


def export_yaml(version: ContractVersion) -> str:
    return documents.write_yaml(version.parsed, name=version.contract.name)


def rule_cards(rules: Sequence[Rule]) -> tuple[RuleCard, ...]:
    return tuple(_card(rule) for rule in rules)


def _numbered(versions: Sequence[ContractVersion], number: int | None) -> ContractVersion | None:
    """The version of that number; None where none is asked for."""
    if number is None:
        return None
    found = next((version for version in versions if version.number == number), None)
    if found is None:
        raise ContractVersion.DoesNotExist(f"There is no version {number}.")
    return found


def _text(version: ContractVersion) -> str:
    return documents.write_whole(version.parsed)


def _with_runs(contract: GradingContract) -> list[ContractVersion]:
    """Newest first, each with `run_count`; `runs` is how runs relate to our versions."""
    versions = contract.versions.select_related("created_by").order_by("-number")
    return list(versions.annotate(run_count=Count("runs")))


def _last_used(contracts: Iterable[str]) -> dict[str, datetime]:
    versions = ContractVersion.objects.filter(contract__in=list(contracts), runs__isnull=False)
    used = versions.values("contract").annotate(at=Max("runs__created_at"))
    return dict(used.values_list("contract", "at"))


def _contract_row(version: ContractVersion, last_used_at: datetime | None) -> ContractRow:
    spec = version.parsed
    return ContractRow(
        id=version.contract.pk,
        name=version.contract.name,
        description=version.contract.description or spec.description,
        archived_at=version.contract.archived_at,
        number=version.number,
        locked=version.locked_at is not None,
        rules=len(spec.rules),
        blocking=sum(rule.blocking for rule in spec.rules),
        asks_judge=bool(spec.judge_rules),
        saved_at=version.created_at,
        saved_by=version.created_by.label if version.created_by else "",
        last_used_at=last_used_at,
    )


def _version_row(version: Any) -> VersionRow:
    return VersionRow(
        id=version.pk,
        number=version.number,
        locked_at=version.locked_at,
        saved_at=version.created_at,
        saved_by=version.created_by.label if version.created_by else "",
        spec_sha256=version.spec_sha256,
        runs=version.run_count,
    )


def _card(rule: Rule) -> RuleCard:
    fields = type(rule).model_fields
    return RuleCard(
        name=rule.name,
        type=rule.type,
        title=rule.title,
        blocks=tuple(blocks(rule.description())),
        method=rule.method,
        aspect=rule.aspect,
        blocking=rule.blocking,
        weight=rule.weight,
        threshold=rule.threshold,
        required=rule.required,
        negate=rule.negate,
        settings=tuple(
            (str(field.title), worded(getattr(rule, name)))
            for name, field in fields.items()
            if name not in _SHOWN_APART
        ),
    )
