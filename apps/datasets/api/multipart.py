"""A dataset with its files as the parts of a form, their paths in the file names."""

import html
import json
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import TooManyFilesSent
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http.multipartparser import MultiPartParser as DjangoMultiPartParser
from django.http.multipartparser import MultiPartParserError
from rest_framework.exceptions import ParseError
from rest_framework.parsers import DataAndFiles, MultiPartParser
from rest_framework.request import Request

from apps.datasets.uploading.parts import TOO_MANY, Parts, parts_of
from apps.web.errors import Problem

MAIN, BESIDE = "file", "files"
PATH, PATHS = "path", "paths"


class FormParser(MultiPartParser):
    """Notes the paths of the files in the fields `path` and `paths`, unless they are there."""

    def parse(
        self, stream: Any, media_type: Any = None, parser_context: Mapping[str, Any] | None = None
    ) -> "DataAndFiles[Any, Any]":
        request = (parser_context or {})["request"]
        meta = {**request.META, "CONTENT_TYPE": media_type}
        names = _Names()
        try:
            parser = _KeepingPaths(meta, stream, [names, *request.upload_handlers])
            names.parser = parser
            data, files = parser.parse()
        except MultiPartParserError as error:
            raise ParseError(f"The form cannot be read: {error}.") from None
        except TooManyFilesSent:
            raise Problem(TOO_MANY) from None
        data = data.copy()
        data.setdefault(PATH, next((path for field, path in names.found if field == MAIN), ""))
        data.setdefault(PATHS, json.dumps([path for field, path in names.found if field == BESIDE]))
        return DataAndFiles(data, files)


def parts_sent(request: Request) -> Parts:
    """The parts `file` and `files` of a form."""
    main = request.FILES.get(MAIN)
    if not isinstance(main, UploadedFile):
        raise Problem("The form has no part file: send the dataset in it.")
    fields = request.POST
    return parts_of(
        main, request.FILES.getlist(BESIDE), fields.get(PATHS, ""), fields.get(PATH, "")
    )


class _KeepingPaths(DjangoMultiPartParser):
    """Django keeps of a file's name the last part only: the whole of it is in `path`."""

    path = ""

    def sanitize_file_name(self, file_name: str) -> str | None:
        self.path = html.unescape(file_name)
        return super().sanitize_file_name(file_name)


class _Names(FileUploadHandler):
    """Notes the field and the path of each file as it begins."""

    parser: _KeepingPaths

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []

    def new_file(self, field_name: str, *args: Any, **kwargs: Any) -> None:
        self.found.append((field_name, self.parser.path))
        super().new_file(field_name, *args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None
