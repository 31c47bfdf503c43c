"""Reading datasets: lists, versions, records by filter, issues by code."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Annotated, Any, NamedTuple

import orjson
from django.db.models import (
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
    Window,
)
from django.db.models.functions import Coalesce, RowNumber
from pydantic import AfterValidator

from apps.accounts.models import Workspace
from apps.contract import Contract

from .comparing.versions import Change
from .models import (
    Dataset,
    DatasetVersion,
    Facet,
    FacetMember,
    Record,
    Upload,
    UploadFile,
    UploadIssue,
)
from .sight import Sight
from .uploading.reading import digest

FAMILY_LABELS = {"tag": "Tags", "task_type": "Task type", "length": "Words of the prompt"}
SHOWN_VALUES = 12
LONGEST_SEARCH = 400
PREVIEWED = 5
MOST_OFFERED = 100


# SQLite takes no very long pattern.
SearchText = Annotated[str, AfterValidator(lambda text: text[:LONGEST_SEARCH])]


class DatasetFilter(Contract):
    q: SearchText = ""
    archived: bool = False


class RecordFilter(Contract):
    """`facets` are spelled `family=value`; a record is in all of them."""

    q: SearchText = ""
    facets: tuple[SearchText, ...] = ()


class FacetGroup(NamedTuple):
    family: str
    facets: list[Facet]
    more: int
    """How many values there are beside those listed."""

    @property
    def label(self) -> str:
        plain = self.family if self.family.startswith("metadata.") else self.family.capitalize()
        return FAMILY_LABELS.get(self.family, plain.removeprefix("metadata."))


class Neighbours(NamedTuple):
    previous: int | None
    next: int | None


class CodeCount(NamedTuple):
    code: str
    n: int


# -- datasets and versions ------------------------------------------------------------------


def datasets(workspace: Workspace, wanted: DatasetFilter) -> QuerySet[Dataset]:
    """With `latest` (a version's id), `versions_count`, `label`, `records` and `latest_at`."""
    found = workspace.datasets.filter(archived_at__isnull=not wanted.archived)
    if wanted.q:
        found = found.filter(Q(name__icontains=wanted.q) | Q(description__icontains=wanted.q))
    return with_latest(found)


def with_latest(found: QuerySet[Dataset]) -> QuerySet[Dataset]:
    newest = DatasetVersion.objects.filter(dataset=OuterRef("pk")).order_by("-pk")
    counts = newest.order_by().values("dataset").annotate(n=Count("pk")).values("n")
    return found.select_related("owner").annotate(
        latest=Coalesce(Subquery(newest.values("pk")[:1]), Value("")),
        label=Subquery(newest.values("label")[:1]),
        records=Subquery(newest.values("accepted")[:1]),
        latest_at=Subquery(newest.values("created_at")[:1]),
        versions_count=Subquery(counts),
    )


def versions(dataset: Dataset) -> QuerySet[DatasetVersion]:
    return dataset.versions.select_related("created_by", "dataset")


def versions_in(workspace: Workspace) -> QuerySet[DatasetVersion]:
    versions = DatasetVersion.objects.filter(dataset__workspace=workspace)
    return versions.select_related("dataset__workspace", "dataset__owner", "created_by")


def with_first_payload(found: QuerySet[DatasetVersion]) -> QuerySet[DatasetVersion]:
    """`first_payload` is the JSON of the first record: '' where there is none."""
    first = Record.objects.filter(version=OuterRef("pk")).order_by("ordinal").values("payload")[:1]
    payload = Coalesce(Subquery(first), Value(""), output_field=TextField())
    return found.annotate(first_payload=payload)


def files_of(version: DatasetVersion) -> list[UploadFile]:
    """What was sent when it was made: the main file first, each with its upload."""
    first = Upload.objects.filter(version=version).order_by("pk").values("pk")[:1]
    files = UploadFile.objects.filter(upload=Subquery(first))
    return list(files.select_related("upload", "blob").order_by("pk"))


def records_digest(version: DatasetVersion) -> str:
    """Recompute the hash of a version's records from what is stored."""
    return digest(version.records.order_by("ordinal").values_list("sha256", flat=True).iterator())


# -- records --------------------------------------------------------------------------------


def records(version: DatasetVersion, wanted: RecordFilter) -> QuerySet[Record]:
    """A search looks at record_id and at the first characters of the prompt, never at payloads."""
    found = version.records.all()
    for facet in wanted.facets:
        member = FacetMember.objects.filter(
            facet__in=_facets_spelled(version, facet), ordinal=OuterRef("ordinal")
        )
        found = found.filter(Exists(member))
    if wanted.q:
        found = found.filter(Q(record_id__icontains=wanted.q) | Q(head__icontains=wanted.q))
    return found


def listed(found: QuerySet[Record]) -> QuerySet[Record]:
    """No more columns than a list shows: one index holds them all."""
    return found.only("version", "ordinal", "record_id", "head")


def tags_of(version: DatasetVersion, ordinals: Iterable[int]) -> dict[int, list[str]]:
    """The tags of some records, as far as they are slices."""
    members = FacetMember.objects.filter(
        facet__version=version, facet__family="tag", ordinal__in=list(ordinals)
    )
    tags: dict[int, list[str]] = {}
    for ordinal, tag in members.order_by("facet").values_list("ordinal", "facet__value"):
        tags.setdefault(ordinal, []).append(tag)
    return tags


def facet_groups(version: DatasetVersion) -> list[FacetGroup]:
    """Each family with its most frequent values."""
    rank = Window(RowNumber(), partition_by="family", order_by=[F("n").desc(), F("value")])
    values = Window(Count("pk"), partition_by="family")
    top = Facet.objects.filter(version=version).annotate(rank=rank, values_in_all=values)
    families: dict[str, list[Any]] = {}
    for facet in top.filter(rank__lte=SHOWN_VALUES).order_by("family", "rank"):
        families.setdefault(facet.family, []).append(facet)
    groups = [
        FacetGroup(family, facets, facets[0].values_in_all - len(facets))
        for family, facets in families.items()
    ]
    return sorted(groups, key=lambda group: (group.family.startswith("metadata."), group.family))


def neighbours(version: DatasetVersion, ordinal: int, wanted: RecordFilter) -> Neighbours:
    """The records before and after this one among those that the filter finds."""
    found = records(version, wanted).order_by("ordinal").values_list("ordinal", flat=True)
    return Neighbours(
        found.filter(ordinal__lt=ordinal).reverse().first(),
        found.filter(ordinal__gt=ordinal).first(),
    )


def ordinal_of(change: Change) -> int:
    """Where a change stands, for what comes after it."""
    record = change.after or change.before
    assert record is not None
    return record.ordinal


def _facets_spelled(version: DatasetVersion, text: str) -> QuerySet[Facet]:
    """The slice written `family=value`; a metadata key may hold a = itself."""
    cuts = [place for place, character in enumerate(text) if character == "="][:20]
    spelled = Q(pk__in=[])
    for cut in cuts:
        spelled |= Q(family=text[:cut], value=text[cut + 1 :])
    return Facet.objects.filter(spelled, version=version)


# -- uploads and their reports --------------------------------------------------------------


def recent_uploads(workspace: Workspace, most: int = 5) -> QuerySet[Upload]:
    return workspace.uploads.select_related("created_by").order_by("-id")[:most]


def to_belong_to(workspace: Workspace, chosen: str = "") -> list[DatasetVersion]:
    """The versions to choose from for what is about one: the newest, and the one already chosen."""
    versions = DatasetVersion.objects.filter(dataset__workspace=workspace)
    offered = versions.filter(dataset__archived_at=None).select_related("dataset")
    newest = list(offered.order_by("-pk")[:MOST_OFFERED])
    if chosen and chosen not in {version.pk for version in newest}:
        newest += versions.filter(pk=chosen).select_related("dataset")
    return newest


def issues(upload: Upload, codes: Collection[str] = ()) -> QuerySet[UploadIssue]:
    if not codes:
        return upload.issues.all()
    present = upload.counts.get("codes", {}).keys() & set(codes)
    return upload.issues.filter(code__in=sorted(present))


def code_counts(upload: Upload) -> list[CodeCount]:
    """The codes of the listed issues, most frequent first."""
    listed: dict[str, int] = upload.counts.get("codes", {})
    return [CodeCount(*pair) for pair in Counter(listed).most_common()]


def preview(version: DatasetVersion) -> QuerySet[Record]:
    return listed(version.records.all()).order_by("ordinal")[:PREVIEWED]


def payload_of(record: Record, sight: Sight) -> dict[str, Any]:
    seen: dict[str, Any] = sight.value(orjson.loads(record.payload))
    return seen
