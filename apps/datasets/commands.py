"""What the commands that take a file share: its options, and the files that go with it."""

import sys
from argparse import ArgumentTypeError
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from apps.accounts.commands import REFUSED, chosen_workspace, person
from apps.artifacts.store import FileTooLarge

from . import answers, formats, told
from .contracts import Options, Rejected
from .models import Upload
from .uploading import uploads
from .uploading.bundles import Archive, Files, Folder
from .uploading.reading import HEAD_BYTES, TOO_LARGE, read_file
from .uploading.uploads import require_options

BLOCK = 1 << 20


class Sent(NamedTuple):
    """A file of this machine as an upload: its path in the bundle, and what is beside it."""

    file: Path
    name: str
    files: Files

    def chunks(self) -> Iterator[bytes]:
        return _chunks(self.file)

    def beside(self, options: Options) -> dict[str, Iterator[bytes]]:
        """The files that the main one refers to; a zip whole."""
        if isinstance(self.files, Archive):
            return {self.files.name: _chunks(self.files.file)}
        if not isinstance(self.files, Folder) or not _refers(self, options.format):
            return {}
        with suppress(Rejected):  # what is wrong is told when it is uploaded
            read_file(self.file, name=self.name, files=self.files, options=options)
        return {path: _chunks(file) for path, file in self.files.used.items()}


def add_file_arguments(parser: CommandParser) -> None:
    parser.add_argument("file", type=Path)
    parser.add_argument("--format", choices=list(formats.FORMATS), help="else it is detected")
    parser.add_argument(
        "--files",
        type=Path,
        metavar="PATH",
        help="the folder or zip of the files that it refers to; its own folder without it",
    )
    parser.add_argument("--main", default="", help="the main file's path, where FILE is a zip")
    add_map_argument(parser)
    parser.add_argument(
        "--valid-only", action="store_true", help="leave out the records that have errors"
    )
    parser.add_argument("--json", action="store_true", dest="as_json", help="print the answer")


def add_map_argument(parser: CommandParser) -> None:
    parser.add_argument(
        "--map",
        type=_pair,
        action="append",
        default=[],
        metavar="FIELD=COLUMN",
        help="which column a field of the format is in; may be repeated",
    )


def sent(file: Path, files: Path | None) -> Sent:
    """The file with what is beside it; CommandError for files that cannot be read."""
    if not file.is_file():
        why = "Is a directory" if file.is_dir() else "No such file or directory"
        raise CommandError(f"{file}: {why}.", returncode=REFUSED)
    if files is None:
        return Sent(file, file.name, Folder(file.parent))
    if files.is_file():
        try:
            return Sent(file, file.name, Archive(files, files.name))
        except Rejected as rejected:
            raise CommandError(rejected.message, returncode=REFUSED) from None
    if not files.is_dir():
        raise CommandError(f"{files}: No such file or directory.", returncode=REFUSED)
    root, main = files.resolve(), file.resolve()
    name = main.relative_to(root).as_posix() if main.is_relative_to(root) else file.name
    return Sent(file, name, Folder(root))


def taken(
    found: Sent, options: Options, *, request_id: str, workspace: str | None, user: str | None
) -> tuple[Upload | None, answers.Answer]:
    """The upload of the file and its whole answer, with progress on a terminal.

    No upload for what is too large; CommandError for what nobody can read or name.
    """
    by = person(user) if user else None
    try:
        upload = uploads.accept_document(
            workspace=chosen_workspace(workspace, by),
            chunks=found.chunks(),
            filename=found.name,
            beside=found.beside(options),
            by=by,
            options=options,
            request_id=request_id,
            via="command",
            told=told.progress_on(sys.stderr),
        )
    except FileTooLarge:
        return None, answers.refused(Rejected(TOO_LARGE, code="payload_too_large", status=413))
    except ValidationError as error:
        raise CommandError(error.messages[0], returncode=REFUSED) from None
    except OSError as error:
        raise CommandError(f"{found.file}: {error.strerror}.", returncode=REFUSED) from None
    finally:
        told.end_progress(sys.stderr)
    if upload.outcome is None:
        raise CommandError(f"{upload.pk}: {uploads.BROKE}", returncode=REFUSED)
    return upload, answers.whole_answer_of(upload)


def options_of(given: Mapping[str, Any]) -> Options:
    """The options of an upload; CommandError for one that cannot be."""
    options = Options(
        format=given["format"] or "",
        dataset_name=given.get("name") or "",
        label=given.get("label") or "",
        mapping=dict(given["map"]),
        valid_only=given["valid_only"],
        main=given["main"],
        on=given.get("on") or "",
    )
    try:
        require_options(options)
    except ValidationError as error:
        raise CommandError(error.messages[0], returncode=REFUSED) from None
    return options


def _refers(found: Sent, format_id: str) -> bool:
    with found.file.open("rb") as file:
        head = file.read(HEAD_BYTES)
    dialect = formats.FORMATS.get(format_id) or formats.detect(found.name, head)
    return dialect is not None and dialect.refers_to_files


def _chunks(file: Path) -> Iterator[bytes]:
    with file.open("rb") as content:
        while block := content.read(BLOCK):
            yield block


def _pair(text: str) -> tuple[str, str]:
    field, equals, column = text.partition("=")
    if not equals or not field or not column:
        raise ArgumentTypeError(f"{text}: write FIELD=COLUMN.")
    return field, column
