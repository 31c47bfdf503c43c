"""The fields of a contract_v1 document: what pydantic checks and what the JSON Schema publishes."""

from typing import Annotated, Any, Literal, NotRequired, get_args

from pydantic import ConfigDict, FailFast, Field, TypeAdapter, with_config
from typing_extensions import TypedDict

from apps.datasets.formats.contract_v1 import limits

CLOSED = ConfigDict(extra="forbid", strict=True)
OPEN = ConfigDict(extra="allow", strict=True)

Criterion = Literal["accuracy", "clarity", "reasoning", "factuality", "overall"]
CRITERIA: tuple[str, ...] = get_args(Criterion)

DatasetId = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9_.\-]+$")]
Label = Annotated[str, Field(min_length=1, max_length=64)]
RecordId = Annotated[str, Field(min_length=1, max_length=128)]
Prompt = Annotated[str, Field(min_length=1, max_length=200_000)]
Answer = Annotated[str, Field(max_length=200_000)]
Timestamp = Annotated[
    str,
    Field(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|\+00:00)$",
        description="ISO 8601 in UTC, such as 2026-01-15T10:05:12Z.",
    ),
]
Metadata = Annotated[
    dict[str, Any], Field(description="Anything, at most 5 levels deep and small: see the text.")
]


@with_config(OPEN)
class Input(TypedDict):
    prompt: Prompt


@with_config(OPEN)
class Reference(TypedDict):
    answer: NotRequired[Answer]


@with_config(CLOSED)
class Expected(TypedDict):
    max_latency_ms: NotRequired[Annotated[int, Field(ge=1, le=120_000)]]
    # `checks` lists every wrong one; here the first tells that there is something to list.
    required_criteria: NotRequired[Annotated[list[Criterion], FailFast()]]


@with_config(CLOSED)
class Record(TypedDict):
    record_id: RecordId
    input: Input
    reference: NotRequired[Reference]
    tags: NotRequired[Annotated[list[Label], Field(max_length=32)]]
    expected: NotRequired[Expected]
    metadata: NotRequired[Metadata]


@with_config(CLOSED)
class HeaderFields(TypedDict):
    dataset_id: DatasetId
    dataset_version: Label
    schema_version: Literal["1.0"]
    created_at: NotRequired[Timestamp]
    metadata: NotRequired[Metadata]


@with_config(CLOSED)
class DocumentFields(HeaderFields):
    records: Annotated[list[Record], Field(min_length=1, max_length=limits.MAX_RECORDS)]


RECORD = TypeAdapter(Record).validator
HEADER = TypeAdapter(HeaderFields).validator
RECORD_FIELDS = frozenset(Record.__annotations__)
EXPECTED_FIELDS = frozenset(Expected.__annotations__)
HEADER_FIELDS = frozenset(HeaderFields.__annotations__)

DESCRIPTION = (
    "A dataset as one JSON document in UTF-8, 100 MB and 50,000 records at most. Beyond what this "
    "schema can say: record_id is unique; keys are not repeated; texts are Unicode NFC and hold no "
    "control characters but tab, line feed and carriage return; a record takes at most 256 KB, its "
    "metadata 8 KB and the document's metadata 16 KB as compact UTF-8 JSON; metadata is at most 5 "
    "levels deep; an integer is written without a fraction."
)


def json_schema() -> dict[str, Any]:
    """JSON Schema, draft 2020-12, of a document all of whose records are accepted."""
    schema = TypeAdapter(DocumentFields).json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "Dataset Contract v1",
        "description": DESCRIPTION,
    }
