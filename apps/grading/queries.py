"""What pages, the API and commands read about grading contracts."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, OuterRef, Subquery

from apps.accounts.models import Workspace
from apps.contract import Contract

from . import documents
from .describing import DiffLine, ThresholdLine, diff_lines, threshold_lines
from .models import ContractVersion, ContractVersionQuerySet, GradingContract
from .rules import Rule
from .spec import ContractSpec

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
    description: str
    method: str
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
    thresholds: tuple[ThresholdLine, ...]
    yaml: str

    @property
    def runs(self) -> int:
        return sum(version.runs for version in self.versions)

    @property
    def latest(self) -> VersionRow:
        return self.versions[0]


class VersionDiff(Contract):
    """Two versions of a contract, one after the other, as text; `before` is None for the first."""

    contract_id: str
    name: str
    before: VersionRow | None
    after: VersionRow
    lines: tuple[DiffLine, ...]


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
        thresholds=threshold_lines(spec.thresholds),
        yaml=documents.write_yaml(spec, name=contract.name),
    )


def version_diff(contract: GradingContract, number: int | None = None) -> VersionDiff:
    """What the version (else the latest) changed; ContractVersion.DoesNotExist if there is none."""
    versions = _with_runs(contract)
    numbers = [version.number for version in versions]
    if number is not None and number not in numbers:
        raise ContractVersion.DoesNotExist(f"{contract} has no version {number}")
    place = numbers.index(number) if number is not None else 0
    after, before = versions[place], next(iter(versions[place + 1 :]), None)
    return VersionDiff(
        contract_id=contract.pk,
        name=contract.name,
        before=_version_row(before) if before else None,
        after=_version_row(after),
        lines=diff_lines(_text(before), _text(after)) if before else (),
    )


def latest_version(contract: GradingContract) -> ContractVersion:
    """The draft where there is one, else the last locked version."""
    return contract.versions.select_related("contract").latest("number")


def export_yaml(version: ContractVersion) -> str:
    return documents.write_yaml(version.parsed, name=version.contract.name)


def rule_cards(rules: Sequence[Rule]) -> tuple[RuleCard, ...]:
    return tuple(_card(rule) for rule in rules)


def _text(version: ContractVersion) -> str:
    return documents.write_yaml(version.parsed)


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
        description=rule.description(),
        method=rule.method,
        blocking=rule.blocking,
        weight=rule.weight,
        threshold=rule.threshold,
        required=rule.required,
        negate=rule.negate,
        settings=tuple(
            (str(field.title), _worded(getattr(rule, name)))
            for name, field in fields.items()
            if name not in _SHOWN_APART
        ),
    )


def _worded(value: Any) -> str:
    """A setting as people read it: yes, no, a list, or a dash where nothing is set."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == "" or value == ():
        return "–"
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value)
    return documents.write_json(value) if isinstance(value, dict) else str(value)
