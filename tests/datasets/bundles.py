"""Files of several formats for tests of pages and API, written by us."""

import io
import json
import zipfile
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.datasets.models import Upload
from apps.datasets.uploading import uploads


def legal(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "schema_version": "legal_eval_v1",
        "id": f"lease-{number}",
        "dataset": "tenancy",
        "task_type": "reference_qa",
        "prompt": f"Who repairs the boiler of flat {number}?",
        "reference_answers": ["The landlord."],
        **changes,
    }


def lines(*rows: Any) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def table(*rows: str) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()


def zip_of(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return packed.getvalue()


def address(name: str, *args: Any) -> str:
    return reverse(f"datasets:{name}", args=["demo", *args])


def kept(
    workspace: Workspace, name: str, content: bytes, by: User | None = None, **more: Any
) -> Upload:
    """An upload of a file of this name, read in this process."""
    return uploads.accept_document(
        workspace=workspace, chunks=iter([content]), filename=name, by=by, **more
    )


def send(
    client: Client,
    name: str,
    content: bytes,
    beside: dict[str, bytes] | None = None,
    **fields: Any,
) -> HttpResponse:
    """What the browser sends; of the files beside it the paths go along in a field."""
    files = beside or {}
    several = [
        SimpleUploadedFile(path.rpartition("/")[2], each, "text/plain")
        for path, each in files.items()
    ]
    data = {"file": SimpleUploadedFile(name, content), "beside": several, **fields}
    if files:
        data.setdefault("paths", json.dumps(list(files)))
    answer: HttpResponse = client.post(address("upload"), data)
    return answer
