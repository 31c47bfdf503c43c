"""Records of other formats as records of the contract, where they fit."""

import re
from typing import Any

import orjson

from apps.datasets import prompting
from apps.datasets.contracts import Header, Unfit
from apps.datasets.formats.contract_v1 import limits
from apps.datasets.formats.contract_v1.checks import (
    Problems,
    check_oddities,
    check_record,
    size_of,
)

NO_ID = re.compile(r"[^A-Za-z0-9_.\-]+")
LONGEST_ID = 128


def fitted_header(header: Header) -> Header:
    """The header with an id and versions that the contract takes."""
    return header.model_copy(
        update={
            "dataset_id": NO_ID.sub("_", header.dataset_id)[:LONGEST_ID] or "dataset",
            "dataset_version": header.dataset_version or "1",
            "schema_version": "1.0",
            "metadata": header.metadata if _is_small(header.metadata) else {},
        }
    )


def fitted(payload: bytes) -> bytes:
    """A record's payload as one of the contract; raises Unfit for what the contract cannot ask.

    The prompt is what the target is sent; a system message stands beside it and is not sent. The
    row as its format said it stays whole beside the reference answer, under the name of its kind.
    """
    said = orjson.loads(payload) if b'"row"' in payload else {}
    if prompting.kind_of(said) == "prompt":
        return payload
    record = _record(said)
    problems = Problems(1)
    check_oddities(record, problems)
    check_record(record, problems)
    if size_of(record) > limits.MAX_RECORD_BYTES:
        raise _unfit(said, f"it takes more than {limits.MAX_RECORD_BYTES:,} bytes")
    if problems.listed:
        raise _unfit(said, problems.listed[0].message)
    return orjson.dumps(record)


def _record(said: dict[str, Any]) -> dict[str, Any]:
    *before, last = prompting.messages(said)
    if last.role != "user" or any(message.role != "system" for message in before):
        raise _unfit(said, f"it asks with {len(before) + 1} messages, the contract with one prompt")
    answer = prompting.reference_of(said)
    system = {"system": "\n\n".join(message.content for message in before)} if before else {}
    return {
        "record_id": said["record_id"],
        "input": {"prompt": last.content, **system},
        "reference": {
            **({} if answer is None else {"answer": answer}),
            said["kind"]: said["row"],
        },
    }


def _unfit(said: dict[str, Any], why: str) -> Unfit:
    return Unfit(f"Record {said['record_id']} does not fit Dataset Contract v1: {why}.")


def _is_small(metadata: dict[str, Any]) -> bool:
    return size_of(metadata) <= limits.MAX_DOCUMENT_METADATA_BYTES
