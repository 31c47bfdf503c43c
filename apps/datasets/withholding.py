"""What tells of scores, kept from those who may not see them for now.

Which datasets that are for somebody, the chapter that knows says in `ready()`.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import orjson
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet

from apps.accounts.models import User

from . import purposes
from .models import Dataset, DatasetVersion, Record, Upload

SENTENCE = (
    "You label answers of this dataset blind: what tells of their scores opens again when the "
    "campaign is closed."
)

Datasets = Callable[[User], QuerySet[Any]]
"""The keys of the datasets whose scores this person is not to see."""

_WITHHELD: list[Datasets] = []

_TELLING_KINDS = ("result", "scenario", "session")
_TELLING_FORMATS = ("agentv", "scenarios")
"""Records that may come with scores or a verifier's output, and the formats that have them."""

_TELLING_NAMES = "score|verdict|judg|rating|grade|passed|relevant|sufficient|misleading"
"""Parts of names of metadata, and of labels of passages, that say how good an answer was."""

_TELLING_UPLOADS = (Upload.Purpose.SCORES, Upload.Purpose.ANNOTATIONS)


def withhold(datasets: Datasets) -> None:
    _WITHHELD.append(datasets)


def check_record(user: User, record: Record) -> None:
    """Raises PermissionDenied, as all of these do, with a sentence."""
    tells = record.kind in _TELLING_KINDS or _has_scores(record.payload)
    if tells and _is_withheld(user, record.version.dataset_id):
        raise PermissionDenied(SENTENCE)


def check_records(user: User, *versions: DatasetVersion) -> None:
    withheld = {
        dataset: _is_withheld(user, dataset) for dataset in {each.dataset_id for each in versions}
    }
    if any(withheld[version.dataset_id] and _tells(version) for version in versions):
        raise PermissionDenied(SENTENCE)


def check_filter(user: User, version: DatasetVersion, facets: Iterable[str]) -> None:
    """Whom a slice finds, tells what it is a slice by."""
    if any(map(_is_telling, facets)) and _is_withheld(user, version.dataset_id):
        raise PermissionDenied(SENTENCE)


def withheld_families(user: User, version: DatasetVersion, families: Iterable[str]) -> set[str]:
    """Those whose slices this person may not see; no query where no name tells of scores."""
    telling = {family for family in families if _is_telling(family)}
    return telling if telling and _is_withheld(user, version.dataset_id) else set()


def check_export(user: User, version: DatasetVersion, format_id: str) -> None:
    if not exports_open_to(user, version)(format_id):
        raise PermissionDenied(SENTENCE)


def check_upload(user: User, upload: Upload) -> None:
    """What was wrong with a file of scores or labels quotes them."""
    if upload.purpose not in _TELLING_UPLOADS:
        return
    of_workspace = Dataset.objects.filter(workspace=upload.workspace_id)
    if any(of_workspace.filter(pk__in=datasets(user)).exists() for datasets in _WITHHELD):
        raise PermissionDenied(SENTENCE)


def exports_open_to(user: User, version: DatasetVersion) -> Callable[[str], bool]:
    """Whether this person may take a version along as that format; one query for all of them."""
    if not _is_withheld(user, version.dataset_id):
        return lambda format_id: True
    tells = _tells(version)
    return lambda format_id: not tells and purposes.exporter(format_id) is None


def _tells(version: DatasetVersion) -> bool:
    """Reads the records where any may come with scores in its metadata."""
    may = version.format in _TELLING_FORMATS
    if may and version.records.filter(kind__in=_TELLING_KINDS).exists():
        return True
    named = version.records.filter(payload__iregex=rf'({_TELLING_NAMES})[^:]*" ?:')
    return any(map(_has_scores, named.values_list("payload", flat=True).iterator()))


def _has_scores(payload: str) -> bool:
    """Whether the metadata or a passage of a record has a field that is named like one."""
    said = orjson.loads(payload)
    row = said.get("row", said)
    parts = [row.get("metadata"), row.get("chunks")] if isinstance(row, dict) else []
    return any(map(_is_telling, _names_in(parts)))


def _names_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    inner = value.values() if isinstance(value, dict) else value
    for each in inner if isinstance(value, dict | list) else ():
        yield from _names_in(each)


def _is_telling(name: str) -> bool:
    return re.search(_TELLING_NAMES, name, re.IGNORECASE) is not None


def _is_withheld(user: User, dataset_id: str) -> bool:
    named = Dataset.objects.filter(pk=dataset_id)
    return any(named.filter(pk__in=datasets(user)).exists() for datasets in _WITHHELD)
