"""In what two versions of a dataset differ for whoever pairs their records."""

from django.db.models import Count, F, OuterRef, QuerySet, Subquery

from apps.datasets.models import DatasetVersion, Record
from apps.web.templatetags.formats import plural

MOST_COUNTED = 10_000
"""Records of a version up to which those that changed are counted."""

NO_GROUPS = "no groups"


def changed(old: DatasetVersion, new: DatasetVersion) -> int:
    """How many records with the same id; 0 too where counting takes long."""
    if max(old.accepted, new.accepted) > MOST_COUNTED:
        return 0
    return _other_in(old, new, "sha256").count()


def regrouped(old: DatasetVersion, new: DatasetVersion) -> tuple[str, str] | None:
    """How many records stand in groups, in words; None where both group theirs alike.

    That a record of the same id stands in another group is looked up where it takes no time.
    """
    before, after = _grouped(old, new)
    if before == after and (before == NO_GROUPS or not _moved(old, new)):
        return None
    return before, after


def _grouped(*versions: DatasetVersion) -> list[str]:
    records = Record.objects.filter(version__in=versions).exclude(group="").values("version")
    counted = records.annotate(n=Count("pk"), groups=Count("group", distinct=True))
    told = {
        version: f"{plural(n, 'record')} in {plural(groups, 'group')}"
        for version, n, groups in counted.values_list("version", "n", "groups")
    }
    return [told.get(version.pk, NO_GROUPS) for version in versions]


def _moved(old: DatasetVersion, new: DatasetVersion) -> bool:
    few = max(old.accepted, new.accepted) <= MOST_COUNTED
    return few and _other_in(old, new, "group").exists()


def _other_in(old: DatasetVersion, new: DatasetVersion, field: str) -> QuerySet[Record]:
    """The records of the new version whose namesake in the old one has another value."""
    before = Record.objects.filter(version=old, record_id=OuterRef("record_id")).values(field)
    both = Record.objects.filter(version=new).annotate(before=Subquery(before))
    return both.filter(before__isnull=False).exclude(before=F(field))
