"""Two versions of a dataset beside each other: what came, what went, what changed, by record id."""

from typing import Literal, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet

from apps.datasets.models import DatasetVersion, Record

Kind = Literal["added", "removed", "changed"]
KINDS: tuple[Kind, ...] = ("changed", "added", "removed")


class Comparison(NamedTuple):
    """How many records of the newer version are new, changed or the same, and how many of the
    older one are gone."""

    added: int
    removed: int
    changed: int
    same: int


class Change(NamedTuple):
    record_id: str
    kind: Kind
    before: Record | None
    after: Record | None


def compare(old: DatasetVersion, new: DatasetVersion) -> Comparison:
    added = _only_in(new, old).count()
    removed = _only_in(old, new).count()
    changed = _changed(old, new).count()
    return Comparison(added, removed, changed, new.records.count() - added - changed)


def changes(
    old: DatasetVersion, new: DatasetVersion, kind: Kind, *, after: int = -1, most: int = 50
) -> list[Change]:
    """The next changes of one kind, in the order of the version that has them; `after` is the
    ordinal of the last one seen."""
    holder = old if kind == "removed" else new
    found = {"added": _only_in(new, old), "removed": _only_in(old, new)}.get(kind)
    rows = _changed(old, new) if found is None else found
    page = list(rows.filter(ordinal__gt=after).order_by("ordinal")[:most])
    other = _by_id(old, page) if kind == "changed" else {}
    return [
        Change(
            row.record_id,
            kind,
            row if holder is old else other.get(row.record_id),
            None if holder is old else row,
        )
        for row in page
    ]


def _only_in(version: DatasetVersion, other: DatasetVersion) -> QuerySet[Record]:
    return version.records.filter(~Exists(_namesake(other)))


def _changed(old: DatasetVersion, new: DatasetVersion) -> QuerySet[Record]:
    """The newer records whose older namesake says something else."""
    return new.records.filter(Exists(_namesake(old).exclude(sha256=OuterRef("sha256"))))


def _namesake(version: DatasetVersion) -> QuerySet[Record]:
    return Record.objects.filter(version=version, record_id=OuterRef("record_id"))


def _by_id(version: DatasetVersion, rows: list[Record]) -> dict[str, Record]:
    found = version.records.filter(record_id__in=[row.record_id for row in rows])
    return {record.record_id: record for record in found}
