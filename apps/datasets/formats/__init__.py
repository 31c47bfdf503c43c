"""Dataset formats: one dialect a folder, each of which can detect, read and write."""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from apps.datasets.contracts import AcceptedRecord, Header, RejectedRecord
from apps.datasets.formats.contract_v1 import ContractV1
from apps.datasets.formats.contract_v1.document import Progress
from apps.datasets.formats.contract_v1.json_text import Source


class Document(Protocol):
    """What `read` gives: a header, records to iterate over once, and then what there is to say.

    Both `read` and iterating raise Rejected when the document as a whole is refused.
    """

    header: Header
    accepted: int
    rejected: int

    @property
    def warnings(self) -> tuple[str, ...]: ...

    def __iter__(self) -> Iterator[AcceptedRecord | RejectedRecord]: ...


class Format(Protocol):
    id: str
    title: str
    media_types: tuple[str, ...]
    template_name: str
    template: bytes
    """A small example to download and fill in."""

    def detect(self, name: str, head: bytes) -> bool: ...

    def read(self, raw: Source, *, progress: Progress | None = None) -> Document: ...

    def write(self, header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]: ...

    def json_schema(self) -> dict[str, Any]: ...


FORMATS: dict[str, Format] = {dialect.id: dialect for dialect in (ContractV1(),)}


def detect(name: str, head: bytes) -> Format | None:
    """The first format that takes a file with this name and beginning for its own."""
    return next((found for found in FORMATS.values() if found.detect(name, head)), None)
