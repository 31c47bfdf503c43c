"""Bytes that must be UTF-8, and what they are when they are not."""

import codecs

from apps.datasets.contracts import Rejected
from apps.datasets.uploading import encodings
from apps.datasets.uploading.limits import Source

BOM = codecs.BOM_UTF8
STEP = 1 << 20
SAMPLE = 1 << 16


def require_utf8(raw: Source) -> int:
    """Where the text begins, behind a byte order mark; raises Rejected that names the encoding."""
    head = bytes(raw[: encodings.HEAD])
    if name := encodings.marked(head):
        raise not_utf8(max(0, head.find(0)), name)
    decoder = codecs.getincrementaldecoder("utf-8")()
    for at in range(0, len(raw), STEP):
        try:
            decoder.decode(raw[at : at + STEP], at + STEP >= len(raw))
        except UnicodeDecodeError as error:
            where = max(0, at + error.start)
            raise not_utf8(where, _guess(raw, where)) from None
    return len(BOM) if head.startswith(BOM) else 0


def not_utf8(at: int, name: str) -> Rejected:
    looks = f" It looks like {name}." if name else ""
    return Rejected(
        f"The file must be UTF-8: byte {at:,} is no part of a UTF-8 character.{looks} "
        "Save it as UTF-8 and upload it again."
    )


def _guess(raw: Source, at: int) -> str:
    """What the bytes around the first one that is not UTF-8 may be."""
    start = max(0, at - SAMPLE // 2)
    return encodings.guessed(bytes(raw[start : start + SAMPLE]))
