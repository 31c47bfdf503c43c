"""Reading a contract_v1 document: the header at once, then the records one by one."""

from collections.abc import Iterator

from apps.datasets.contracts import AcceptedRecord, Header, Rejected, RejectedRecord
from apps.datasets.formats.base import Progress
from apps.datasets.formats.contract_v1.header import checked_header
from apps.datasets.formats.contract_v1.items import Items
from apps.datasets.formats.contract_v1.json_text import JsonText
from apps.datasets.formats.contract_v1.judging import Judge
from apps.datasets.formats.contract_v1.limits import MAX_DOCUMENT_BYTES
from apps.datasets.formats.contract_v1.outline import Outline
from apps.datasets.formats.contract_v1.values import Normaliser
from apps.datasets.uploading.limits import Source

REPORT_EVERY = 500


class Document:
    """A document whose header is known and whose records are read while one iterates, once.

    Iterating raises Rejected as soon as something is wrong with the document as a whole: nothing
    of it may be kept before the iteration has ended. Then `warnings` are sentences.
    """

    def __init__(self, raw: Source, progress: Progress | None = None) -> None:
        if len(raw) > MAX_DOCUMENT_BYTES:
            raise Rejected(
                f"The file is larger than 100 MB: it has {len(raw):,} bytes, "
                f"{MAX_DOCUMENT_BYTES:,} is the limit.",
                code="payload_too_large",
                status=413,
            )
        self._text = JsonText(raw)
        self._normaliser = Normaliser()
        self._outline = Outline(self._text, self._normaliser)
        self._progress = progress
        self.header = self._checked_header()

    def __iter__(self) -> Iterator[AcceptedRecord | RejectedRecord]:
        task_type = self.header.metadata.get("task_type")
        judge = Judge(
            self._text, self._normaliser, task_type if isinstance(task_type, str) else None
        )
        found = Items(self._text, self._outline.records_at)
        for index, item in enumerate(found):
            if self._progress and index % REPORT_EVERY == 0:
                self._progress(item.start, len(self._text.raw))
            yield judge.judge(index, item)
        self._outline.close(found.end)
        self._checked_header()
        if self._progress:
            self._progress(len(self._text.raw), len(self._text.raw))

    def _checked_header(self) -> Header:
        return checked_header(self._outline.fields, has_records=self._outline.records_at > 0)

    @property
    def changed_strings(self) -> int:
        """How many strings and keys were not in Unicode NFC and have been put into it."""
        return self._normaliser.changed

    @property
    def warnings(self) -> tuple[str, ...]:
        if not self.changed_strings:
            return ()
        texts = (
            "1 text was" if self.changed_strings == 1 else f"{self.changed_strings:,} texts were"
        )
        return (f"{texts} not in Unicode NFC: stored normalised.",)
