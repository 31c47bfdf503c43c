"""Files of labels and scores as rows."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import orjson
from django.core.management.base import CommandError

from apps.accounts.commands import REFUSED
from apps.datasets import answers
from apps.datasets.commands import sent
from apps.datasets.contracts import Document, Options, Rejected
from apps.datasets.formats import Format
from apps.datasets.formats.annotations import Annotations
from apps.datasets.formats.base import Progress
from apps.datasets.formats.rows import names_of
from apps.datasets.uploading.bundles import Bundle
from apps.datasets.uploading.reading import HEAD_BYTES, read_file

Row = dict[str, Any]

CALLED = {"criterion": "question", "label": "value"}
"""How fields are called elsewhere: too common words for uploads, where formats are told apart."""

ONE = "label"
"""What the question is called of a file that names none."""


class AnyLabels(Annotations):
    """Annotations whose columns may have other names, where none has the field's own."""

    def read(self, bundle: Bundle, *, progress: Progress | None = None) -> Document:
        names = names_of(bundle.name, bytes(bundle.raw[:HEAD_BYTES]))
        has = names | ({"criterion"} if "task_type" in names else set())
        called = {
            ours: other for ours, other in CALLED.items() if other in names and ours not in has
        }
        return super().read(
            replace(bundle, mapping={**called, **bundle.mapping}), progress=progress
        )


class UnfitFile(Exception):
    """A file with errors; `body` is what `evalhub validate` answers, with the file's name."""

    def __init__(self, file: Path, body: dict[str, Any]) -> None:
        super().__init__(str(file))
        self.body = {"file": str(file), **body}


def read_labels(file: Path, mapping: Mapping[str, str] = MappingProxyType({})) -> list[Row]:
    """Labels of any file of item, annotator, criterion (which may be missing) and label."""
    return _rows(file, AnyLabels(criterion=ONE), Options(mapping=dict(mapping)))


def read_rows(file: Path, kind: Literal["annotations", "scores"]) -> list[Row]:
    """Every row; UnfitFile where one has an error, CommandError where there is no file."""
    return _rows(file, None, Options(format=kind))


def _rows(file: Path, dialect: Format | None, options: Options) -> list[Row]:
    found = sent(file, None)
    try:
        reading = read_file(found.file, name=found.name, options=options, dialect=dialect)
    except Rejected as rejected:
        raise UnfitFile(file, answers.refused(rejected)[1]) from None
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}.", returncode=REFUSED) from None
    body = answers.answer_to(reading)[1]
    if "error" in body:
        raise UnfitFile(file, body)
    return [orjson.loads(record.payload)["row"] for record in reading.records]
