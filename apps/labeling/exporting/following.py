"""Waiting for an export: workers write it where some are up, otherwise this process does."""

import time
from pathlib import Path

from django.core.exceptions import ValidationError
from django.utils import timezone

from apps.artifacts import exports, store
from apps.jobs import services as jobs
from apps.jobs.models import JobState
from apps.labeling.models import Export

from .labels import LABELS
from .lines import LINES
from .listing import files_of
from .training import TRAINING

LOOK_SECONDS = 0.2
MAIN: dict[str, str] = {
    Export.Form.LABELS: LABELS,
    Export.Form.LINES: LINES,
    Export.Form.TRAINING: TRAINING,
}
"""The file of a form that may stand alone; tasks are several."""


def written(export: Export) -> Export:
    """The export when its files are sealed; raises ValidationError where it came to nothing."""
    while not _ended(export):
        if jobs.alive("worker", timezone.now()):
            time.sleep(LOOK_SECONDS)
        else:
            jobs.work_here(lambda: _ended(export))
    if export.state != JobState.DONE:
        raise ValidationError(export.error or f"{export.pk} was {export.state}.")
    return export


def require_place(form: str, to: Path) -> None:
    """A folder, or a file for a form that is one; a folder with other files is refused later."""
    if to.suffix and not to.is_dir():
        if to.suffix != ".zip" and form not in MAIN:
            raise ValidationError(f"{form} are several files: name a folder, or a .zip.")
        if to.exists():
            raise ValidationError(f"{to} is there already: choose another name.")


def put(export: Export, to: Path) -> list[str]:
    """Into the folder, whole; into a .zip; or the form's own file alone. The names written."""
    if export.bundle is None:
        raise ValidationError(f"{export.pk} has no files.")
    if not to.suffix or to.is_dir():
        return exports.export(export.bundle, to)
    if to.suffix == ".zip":
        pieces = exports.zip_stream(export.bundle)
    else:
        main = next(file for file in files_of(export) if file.name == MAIN[export.form])
        pieces = store.read(main.sha256)
    with to.open("xb") as out:
        for piece in pieces:
            out.write(piece)
    return [to.name]


def _ended(export: Export) -> bool:
    export.refresh_from_db()
    return not export.is_open
