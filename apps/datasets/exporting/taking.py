"""A dataset version as the answer to a request: whole, or refused before its first byte."""

from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from typing import IO

from django.http import HttpResponseBase, StreamingHttpResponse

from apps.datasets.models import DatasetVersion
from apps.datasets.sight import Sight

from . import writing as exporting

BLOCK = 1 << 20


def export_response(version: DatasetVersion, format_id: str, sight: Sight) -> HttpResponseBase:
    """Raises ValidationError for no way to that format, Unfit where a record has no words in it."""
    export = exporting.export(version, format_id, sight)
    return StreamingHttpResponse(
        _read(_written(export.pieces)),
        content_type=export.media_type,
        headers={"Content-Disposition": f'attachment; filename="{export.name}"'},
    )


def _written(pieces: Iterable[bytes]) -> IO[bytes]:
    """On disk first: a record that does not fit may be the last one."""
    file = TemporaryFile()  # noqa: SIM115 - the answer closes it when it has been sent
    try:
        for piece in pieces:
            file.write(piece)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


def _read(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while block := file.read(BLOCK):
            yield block
