"""What every dialect can do."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, Protocol, runtime_checkable

from apps.datasets.contracts import Document, Header
from apps.datasets.uploading.bundles import Bundle

Progress = Callable[[int, int], None]
"""Told how many bytes of how many have been read."""

Purpose = Literal["dataset", "annotations", "scores", "traces"]


class Format(Protocol):
    id: str
    title: str
    hint: str
    """One sentence for people who choose."""
    endings: tuple[str, ...]
    """File name endings, the usual one first: `.jsonl`, `.yaml`."""
    media_types: tuple[str, ...]
    template_name: str
    template: bytes
    """A small example to download and fill in."""
    purpose: Purpose
    """What its records become: a dataset, or something about the answers of one."""
    partial: bool
    """Whether good records are kept beside bad ones; else all are, or none."""
    refers_to_files: bool
    """Whether its records may name files that are uploaded beside it."""
    columns: tuple[str, ...]
    """The fields that a mapping may name, the required ones first; none where none is taken."""
    required_columns: int

    def detect(self, name: str, head: bytes) -> bool:
        """Whether a file of this name and beginning is meant to be one of this format."""
        ...

    def read(self, bundle: Bundle, *, progress: Progress | None = None) -> Document:
        """The document with its header; raises Rejected, and so does going through its records."""
        ...

    def write(self, header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]:
        """The file in pieces; raises Unfit for a payload that the format has no words for."""
        ...

    def json_schema(self) -> dict[str, Any]:
        """Of one record (or of the document, where records are no lines of their own)."""
        ...


@runtime_checkable
class WithSidecar(Protocol):
    """A format whose lines mean the same only with a file beside them."""

    def sidecar(self, header: Header) -> str:
        """The YAML that goes with the lines, under their name."""
        ...
