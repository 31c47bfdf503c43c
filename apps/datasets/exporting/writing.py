"""A dataset version as a file: of its own format, of another that it fits, or what is known of
its answers."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.core.exceptions import ValidationError

from apps.datasets import formats, purposes
from apps.datasets.contracts import Header, Unfit
from apps.datasets.models import DatasetVersion, UploadFile
from apps.datasets.queries import files_of
from apps.datasets.sight import Sight

from . import bundling

STREAMED = 500
BUNDLE = "bundle"
FEEDBACK = "feedback"
"""agentv's review file: what people said about the answers, case by case."""

TITLES = {FEEDBACK: "agentv feedback.json"}


class Export(NamedTuple):
    """`pieces` may raise Unfit while it is gone through."""

    name: str
    media_type: str
    pieces: Iterator[bytes]


def exportable(
    version: DatasetVersion, first: str | None = None, files: Sequence[UploadFile] | None = None
) -> list[tuple[str, str]]:
    """The formats to choose from, the version's own first: id and title.

    `first` is the payload of its first record and `files` what it was uploaded with, where that
    is known already.
    """
    own = formats.FORMATS[version.format]
    others = (each for each in formats.FORMATS.values() if each is not own)
    if first is None:
        first = version.records.order_by("ordinal").values_list("payload", flat=True).first()
    payloads = [first.encode()] if first else []
    header = Header.model_validate(version.header)
    fitting = [each for each in others if _fits(each, header, payloads)]
    sent = files_of(version) if files is None else files
    whole = [(BUNDLE, "All files as they were sent (zip)")] if bundling.has_more(sent) else []
    chosen = [(each.id, each.title) for each in (own, *fitting)]
    return [chosen[0], *whole, *chosen[1:], *_about_answers()]


def _about_answers() -> list[tuple[str, str]]:
    """What is no dataset, but known of the answers of one."""
    about = {each.id: each.title for each in formats.FORMATS.values() if each.purpose != "dataset"}
    return [
        (format_id, title)
        for format_id, title in {**about, **TITLES}.items()
        if purposes.exporter(format_id) is not None
    ]


def export(version: DatasetVersion, format_id: str, sight: Sight) -> Export:
    """The file in pieces; raises ValidationError for a format that there is no way to."""
    exporter = purposes.exporter(format_id)
    if exporter is not None:
        return Export(_name(version, format_id), _media_type(format_id), exporter(version, sight))
    if format_id == BUNDLE:
        return _bundle(version, sight)
    dialect = formats.FORMATS.get(format_id)
    if dialect is None or dialect.purpose != "dataset":
        known = ", ".join(each for each, _title in exportable(version))
        raise ValidationError(f"{version} is no {format_id}: choose one of {known}.")
    pieces = dialect.write(_header(version, sight), _payloads(version, sight))
    return Export(_name(version, format_id), _media_type(format_id), pieces)


def sidecar(version: DatasetVersion, format_id: str, sight: Sight) -> str | None:
    """What must stand beside the lines of an export for them to mean the same, under their name."""
    dialect = formats.FORMATS[version.format]
    if format_id != version.format or not isinstance(dialect, formats.WithSidecar):
        return None
    return dialect.sidecar(_header(version, sight))


def _bundle(version: DatasetVersion, sight: Sight) -> Export:
    """Only where nothing is redacted: nobody has looked into these files."""
    if sight.is_redacted:
        raise ValidationError("This workspace redacts personal data: files are not given as sent.")
    return Export(f"{_stem(version)}.zip", "application/zip", bundling.zipped(files_of(version)))


def _payloads(version: DatasetVersion, sight: Sight) -> Iterator[bytes]:
    """Page by page: whoever stops early leaves no cursor behind."""
    rows = version.records.order_by("ordinal").values_list("ordinal", "payload")
    last = -1
    while page := list(rows.filter(ordinal__gt=last)[:STREAMED]):
        yield from (sight.payload(payload) for _ordinal, payload in page)
        last = page[-1][0]


def _header(version: DatasetVersion, sight: Sight) -> Header:
    """What the document says of itself; another format's file has no version but the label."""
    header = Header.model_validate(version.header)
    return header.model_copy(
        update={
            "metadata": sight.value(header.metadata),
            "dataset_version": header.dataset_version or version.label,
        }
    )


def _fits(dialect: formats.Format, header: Header, payloads: list[bytes]) -> bool:
    """Whether the first record can be said in the format: the others are tried when asked for."""
    if dialect.purpose != "dataset":
        return False
    try:
        for _piece in dialect.write(header, payloads):
            pass
    except Unfit:
        return False
    return True


def _name(version: DatasetVersion, format_id: str) -> str:
    dialect = formats.FORMATS.get(format_id)
    ending = dialect.endings[0] if dialect else ".json"
    about = f"-{format_id}" if format_id != version.format else ""
    return f"{_stem(version)}{about}{ending}"


def _stem(version: DatasetVersion) -> str:
    return f"{version.header['dataset_id']}-{version.pk}"


def _media_type(format_id: str) -> str:
    dialect = formats.FORMATS.get(format_id)
    return dialect.media_types[0] if dialect else "application/json"
