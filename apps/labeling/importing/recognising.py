"""Pairs that a file names by the hash of their content, as the annotation tool does."""

import re
from collections.abc import Collection, Iterator
from copy import copy
from hashlib import sha256
from typing import Any

import orjson
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from apps.datasets import prompting, subjects
from apps.datasets.formats.pairs.pair import content_id
from apps.datasets.models import DatasetVersion, Record, Upload
from apps.datasets.naming import version_named
from apps.datasets.uploading.reading import Kept, Reading
from apps.grading.subjects import Subject
from apps.labeling.sending.units import pair_sha256

HASH = re.compile(r"[0-9a-f]{64}")
LOOKED_THROUGH = 20
"""Versions, the newest first."""

STREAMED = 500
Names = dict[str, str]


def recognised(upload: Upload, reading: Reading) -> Upload:
    """Put our records' ids in place of hashes; the upload as it is then to be read.

    It names the version whose records they are. Nothing changes where a record has such an id.
    """
    hashes = {found for each in reading.records if HASH.fullmatch(found := _id_of(each))}
    if not hashes or _of(upload).filter(record_id__in=sorted(hashes)[:STREAMED]).exists():
        return upload
    version, names = _most(upload, hashes)
    if version is None:
        return upload
    reading.records = [_renamed(each, names) for each in reading.records]
    about = copy(upload)
    about.options = {**upload.options, "on": version.pk}
    return about


def twin_sha256(pair: str, record_id: str) -> str:
    """The hash that a record goes by where another has the same query, answer and context."""
    return sha256(f"{pair}\0{record_id}".encode()).hexdigest()


def _most(upload: Upload, hashes: Collection[str]) -> tuple[DatasetVersion | None, Names]:
    """The newest version that has the most of them."""
    best: tuple[DatasetVersion | None, Names] = None, {}
    for version in _versions(upload):
        names: Names = {}
        for found, record_id in _hashes(version):
            if found in hashes:
                names.setdefault(found, record_id)
        if len(names) > len(best[1]):
            best = version, names
        if len(names) == len(hashes):
            break
    return best


def _versions(upload: Upload) -> list[DatasetVersion]:
    if upload.options.get("on"):
        try:
            return [version_named(upload.workspace, upload.options["on"])]
        except ValidationError:
            return []  # told by whoever looks for it
    active = DatasetVersion.objects.filter(
        dataset__workspace=upload.workspace, dataset__archived_at=None, format="pairs"
    )
    return list(active.order_by("-pk")[:LOOKED_THROUGH])


def _hashes(version: DatasetVersion) -> Iterator[tuple[str, str]]:
    """Every hash that a pair may be named by, with the record's id."""
    last = -1
    rows = version.records.order_by("ordinal").values_list("ordinal", "record_id", "payload")
    while page := list(rows.filter(ordinal__gt=last)[:STREAMED]):
        for _ordinal, record_id, payload in page:
            for found in _named_by(orjson.loads(payload)):
                yield found, record_id
                yield twin_sha256(found, record_id), record_id
        last = page[-1][0]


def _named_by(payload: dict[str, Any]) -> Iterator[str]:
    """Our own hash, and the tool's where the pair says which context it was hashed with."""
    answer = prompting.answer_of(payload)
    if answer is None:
        return
    subject = Subject.model_validate({**subjects.given(payload).fields, "response": answer})
    yield pair_sha256(subject)
    said = (subject.record.get("metadata") or {}).get("context_set")
    chunks = [chunk.id for chunk in subject.chunks]
    yield content_id(subject.prompt, answer, said if isinstance(said, str) else "", chunks)


def _of(upload: Upload) -> QuerySet[Record]:
    return Record.objects.filter(version__dataset__workspace=upload.workspace)


def _renamed(record: Kept, names: Names) -> Kept:
    said = orjson.loads(record.payload)
    known = names.get(said["row"]["id"])
    if known is None:
        return record
    said["row"]["id"] = known
    return record._replace(payload=orjson.dumps(said))


def _id_of(record: Kept) -> str:
    return str(orjson.loads(record.payload)["row"]["id"])
