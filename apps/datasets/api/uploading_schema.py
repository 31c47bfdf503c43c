"""What the description of the API says of an upload: its parameters and its bodies."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter

from apps.datasets import formats

from .document_schema import document_schema

UPLOADING = (
    "The body is one file, 100 MB at most: JSON is a document of Dataset Contract v1 unless "
    "`format` names another; other content types are told apart by the file. As a form, the part "
    "`file` is the main file and parts `files` go with it, their paths in their file names (or "
    "as a JSON list in a part `paths`). A .gz or a .zip is unpacked. Of Dataset Contract v1 valid "
    "records are kept even where others are not; every other format is taken whole or, with "
    "`valid_only`, without what has errors. `map.<field>=<column>` says which column of a file "
    "a field of the format is in. The same bytes again are the same version. The header "
    "`x-upload-id` names the upload, whose report stays."
)

UPLOAD_PARAMETERS = [
    OpenApiParameter("format", str, enum=list(formats.FORMATS), description="Else it is detected."),
    OpenApiParameter(
        "name",
        {"type": "string", "maxLength": 128},
        description="The dataset's name here; what the file calls itself without it.",
    ),
    OpenApiParameter(
        "version",
        {"type": "string", "maxLength": 64},
        description="The version's label; what the file says, or the next number, without it.",
    ),
    OpenApiParameter("filename", str, description="What a raw body would be called as a file."),
    OpenApiParameter("main", str, description="The path of the main file in a zip."),
    OpenApiParameter("valid_only", bool, description="Leave out what has errors."),
    OpenApiParameter(
        "on", str, description="The dataset version that annotations or scores belong to."
    ),
]

_TEXT: dict[str, Any] = {"type": "string"}
_BINARY: dict[str, Any] = {"type": "string", "format": "binary"}
_FORM: dict[str, Any] = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": _BINARY,
        "files": {"type": "array", "items": _BINARY},
        "paths": {"type": "string", "description": "The paths of `files` as a JSON list."},
    },
}

UPLOAD_BODIES: dict[str, Any] = {
    "application/json": document_schema(),
    "application/x-ndjson": _TEXT,
    "text/csv": _TEXT,
    "application/yaml": _TEXT,
    "application/gzip": _BINARY,
    "application/zip": _BINARY,
    "multipart/form-data": _FORM,
}
