"""From a request to an upload that was read, and to the answer that tells what became of it."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceApiRequest
from apps.artifacts.store import FileTooLarge
from apps.datasets import answers, formats
from apps.datasets.contracts import Options
from apps.datasets.models import DatasetVersion, Upload
from apps.datasets.uploading import uploads
from apps.datasets.uploading.reading import DEFAULT_FORMAT
from apps.web.errors import CODES, Problem
from apps.web.openapi import chosen, is_asked

from .documents import ENDINGS, JSON, MULTIPART, content_type, document, refuse_size
from .multipart import parts_sent

UPLOAD_ID = "x-upload-id"
MAP = "map."


def received(request: WorkspaceApiRequest) -> Upload:
    """Store what was sent and read it in this request."""
    options = _options(request)
    try:
        return uploads.accept_document(
            workspace=request.workspace,
            by=request.user,
            options=options,
            request_id=request.request_id,
            **_sent(request, options),
        )
    except FileTooLarge:
        refuse_size()


def answer(upload: Upload, request_id: str) -> Response:
    """To the letter for Dataset Contract v1; with lines and warnings for every other format."""
    named = {UPLOAD_ID: upload.pk}
    if upload.outcome is None:
        raise Problem(uploads.BROKE, status_code=500, headers=named)
    if _is_of_the_contract(upload):
        return _answer_of_the_contract(upload, request_id, named)
    status, body = answers.whole_answer_of(upload)
    if status >= 400:
        error = body["error"]
        body["error"] = {
            "code": CODES.get(status, CODES[400]),
            "message": error["message"],
            "details": {**error["details"], "reason": error["code"]},
        }
    elif told := upload.outcome.get("told"):
        body["told"] = told
    return Response({**body, "request_id": request_id}, status=status, headers=named)


def _answer_of_the_contract(upload: Upload, request_id: str, named: dict[str, str]) -> Response:
    status, body = answers.answer_of(upload)
    if status >= 400:
        error = body["error"]
        raise Problem(error["message"], status_code=status, details=error["details"], headers=named)
    return Response({**body, "request_id": request_id}, status=status, headers=named)


def _is_of_the_contract(upload: Upload) -> bool:
    return (upload.format or DEFAULT_FORMAT) == DEFAULT_FORMAT


def _sent(request: WorkspaceApiRequest, options: Options) -> dict[str, Any]:
    if content_type(request) == MULTIPART:
        parts = parts_sent(request)
        return {
            "chunks": parts.main.chunks(),
            "filename": parts.name,
            "beside": parts.chunks_beside(),
        }
    ending = ENDINGS.get(content_type(request), "")
    return {
        "chunks": document(request, any_type=bool(options.format)),
        "filename": request.query_params.get("filename") or f"document{ending}",
    }


def _options(request: WorkspaceApiRequest) -> Options:
    asked = request.query_params
    return Options(
        format=chosen(request, "format", formats.FORMATS) or _usual_format(request),
        dataset_name=asked.get("name", ""),
        label=asked.get("version", ""),
        mapping={name[len(MAP) :]: text for name, text in asked.items() if name.startswith(MAP)},
        valid_only=is_asked(request, "valid_only"),
        main=asked.get("main", ""),
        on=_version_named(request),
    )


def _usual_format(request: Request) -> str:
    """JSON by itself is the contract's: its client names no format."""
    return DEFAULT_FORMAT if content_type(request) in (JSON, "") else ""


def _version_named(request: WorkspaceApiRequest) -> str:
    on: str = request.query_params.get("on", "")
    versions = DatasetVersion.objects.filter(dataset__workspace=request.workspace)
    if on and not versions.filter(pk=on).exists():
        raise Problem(f"on names no dataset version of this workspace: {on[:100]}.")
    return on
