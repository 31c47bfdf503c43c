"""`evalhub export DATASET --format F --to FILE`: a dataset version as a file."""

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.accounts.commands import REFUSED, chosen_workspace, person
from apps.datasets.contracts import Unfit
from apps.datasets.exporting import writing as exporting
from apps.datasets.models import DatasetVersion
from apps.datasets.naming import version_named
from apps.datasets.sight import Sight


class Command(BaseCommand):
    help = (
        "Write a dataset version, or what is known of its answers, to a file. Exit status: 0 it "
        "is written, 2 it is not."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("dataset", help="name, name@version label or id")
        parser.add_argument(
            "--format", default="", help="its own without it; with FILE.zip all its files"
        )
        parser.add_argument("--to", type=Path, required=True, metavar="FILE")
        parser.add_argument("--force", action="store_true", help="write over a file that is there")
        parser.add_argument("--workspace", help="its slug; needless where there is only one")
        parser.add_argument("--user", help="who exports it")

    def handle(self, *, dataset: str, to: Path, force: bool, **given: Any) -> None:
        by = person(given["user"]) if given["user"] else None
        workspace = chosen_workspace(given["workspace"], by)
        try:
            version = version_named(workspace, dataset)
            whole = exporting.BUNDLE if to.suffix == ".zip" else version.format
            files = _files(version, given["format"] or whole, to)
            _require_free(files, force)
            for file, pieces in files.items():
                self.stdout.write(f"{version} is in {file}: {_write(file, pieces):,} bytes.")
        except ValidationError as error:
            raise CommandError(error.messages[0], returncode=REFUSED) from None
        except Unfit as error:
            raise CommandError(str(error), returncode=REFUSED) from None
        except OSError as error:
            raise CommandError(f"{to}: {error.strerror}.", returncode=REFUSED) from None


def _files(version: DatasetVersion, wanted: str, to: Path) -> dict[Path, Iterator[bytes]]:
    """What is written: the file, and the sidecar that its lines need."""
    sight = Sight(version.dataset.workspace)
    files = {to: exporting.export(version, wanted, sight).pieces}
    sidecar = exporting.sidecar(version, wanted, sight)
    if sidecar is not None:
        files[to.with_suffix(".yaml")] = iter([sidecar.encode()])
    return files


def _require_free(files: Iterable[Path], force: bool) -> None:
    taken = [] if force else [file for file in files if file.exists()]
    if taken:
        raise CommandError(
            f"{taken[0]} is there already: --force writes over it.", returncode=REFUSED
        )


def _write(to: Path, pieces: Iterator[bytes]) -> int:
    """All of it or nothing: a file that is half written is never seen under the name."""
    handle, name = tempfile.mkstemp(dir=to.parent, prefix=f".{to.name}.")
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            size = sum(out.write(piece) for piece in pieces)
        draft.chmod(0o644)
        draft.replace(to)
    finally:
        draft.unlink(missing_ok=True)
    return size
