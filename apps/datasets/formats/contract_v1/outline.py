"""A document's top level: every field but the records, and where those begin."""

from typing import Any

from apps.datasets.contracts import Rejected
from apps.datasets.formats.contract_v1.header import require_known
from apps.datasets.formats.contract_v1.items import Items
from apps.datasets.formats.contract_v1.json_text import JsonText, repeated_key, too_deep
from apps.datasets.formats.contract_v1.limits import MAX_LEVELS, WINDOW_BYTES
from apps.datasets.formats.contract_v1.values import Normaliser, deeper_than

BOM = b"\xef\xbb\xbf"
WHITE = b" \t\r\n"


class Outline:
    """The fields as they stand, in NFC, and `records_at`, the position after the records' `[`.

    When something stands behind the records they are read over first, so that the header is
    always known before the first record.
    """

    def __init__(self, text: JsonText, normaliser: Normaliser) -> None:
        self._text = text
        self._normaliser = normaliser
        self.fields: dict[str, Any] = {}
        self.records_at = 0
        self._read_over = not self._records_are_last()
        at = self._opening()
        if text.byte(at) == b"}":
            self._require_end(at + 1)
        else:
            self._members(at)

    def close(self, at: int) -> None:
        """Read what follows the records' `]`, unless it has been read already.

        Fields that turn up only now are wrong: the header has to be checked again.
        """
        if not self._read_over:
            following = self._next_key(at)
            if following is not None:
                self._members(following)

    def _opening(self) -> int:
        """The position of the first key."""
        start = len(BOM) if self._text.byte(0) == BOM[:1] and self._text.raw[:3] == BOM else 0
        at = self._text.skip_space(start)
        first = self._text.byte(at)
        if not first:
            raise Rejected("The file is empty: upload a document with records.")
        if self._text.raw[:2] == b"\x1f\x8b":
            raise Rejected("The file must be a JSON document in UTF-8; this one is compressed.")
        if b"\x00" in self._text.raw[:4] or first in b"\xff\xfe":
            raise Rejected("The file must be UTF-8; this looks like UTF-16 or UTF-32.")
        if first != b"{":
            raise Rejected("The top level must be a JSON object with dataset_id and records.")
        return self._text.skip_space(at + 1)

    def _records_are_last(self) -> bool:
        """A document ends in `]}` where its last field is an array, and only records may be one."""
        tail = bytes(self._text.raw[-WINDOW_BYTES:]).rstrip(WHITE)
        return tail.endswith(b"}") and tail[:-1].rstrip(WHITE).endswith(b"]")

    def _members(self, key_at: int) -> None:
        at: int | None = key_at
        while at is not None:
            key, value_at = self._key(at)
            if key == "records":
                self._require_array(value_at)
                self.records_at = value_at + 1
                if not self._read_over:
                    return
                end = Items(self._text, self.records_at).skip()
            else:
                end = self._field(key, value_at)
            at = self._next_key(end)

    def _key(self, at: int) -> tuple[str, int]:
        """The key that starts at `at`, and where its value starts."""
        if self._text.byte(at) != b'"':
            self._text.refuse(at, "a key in double quotes is expected")
        found = self._text.value(at)
        key = found.value if found.text is not None else "…"
        require_known(key)
        if key in self.fields or (key == "records" and self.records_at):
            raise repeated_key(key, "the top level")
        colon = self._text.skip_space(found.end)
        if self._text.byte(colon) != b":":
            self._text.refuse(colon, "a colon is expected after a key")
        return key, self._text.skip_space(colon + 1)

    def _field(self, key: str, at: int) -> int:
        found = self._text.value(at)
        if found.text is None:
            raise Rejected(f"{key} is far too large: it takes {found.end - at:,} bytes.")
        if deeper_than(found.value, MAX_LEVELS):
            raise too_deep(key)
        self.fields[key] = self._normaliser.apply(found.value, key)
        return found.end

    def _require_array(self, at: int) -> None:
        if self._text.byte(at) != b"[":
            raise Rejected("records must be an array of 1 to 50,000 items.")

    def _next_key(self, at: int) -> int | None:
        """Where the next key starts; None at the end of the document."""
        at = self._text.skip_space(at)
        mark = self._text.byte(at)
        if mark == b",":
            return self._text.skip_space(at + 1)
        if mark != b"}":
            self._text.refuse(at, "a comma or } is expected after a field")
        self._require_end(at + 1)
        return None

    def _require_end(self, at: int) -> None:
        at = self._text.skip_space(at)
        if at < len(self._text.raw):
            self._text.refuse(at, "nothing may follow the document")
