"""Bytes that must be UTF-8, and what they are when they are not."""

import codecs

from charset_normalizer import from_bytes

from apps.datasets.contracts import Rejected
from apps.datasets.limits import Source

BOM = codecs.BOM_UTF8
STEP = 1 << 20
SAMPLE = 1 << 16
BOMS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


def require_utf8(raw: Source) -> int:
    """Where the text begins, behind a byte order mark; raises Rejected that names the encoding."""
    head = bytes(raw[:4])
    for mark, name in BOMS:
        if head.startswith(mark):
            raise not_utf8(0, name)
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
    """What the bytes around the first one that is not UTF-8 may be; empty where none fits."""
    start = max(0, at - SAMPLE // 2)
    sample = bytes(raw[start : start + SAMPLE])
    if sample.count(b"\0") > len(sample) // 4:
        return "UTF-16"
    best = from_bytes(sample, steps=5, chunk_size=512).best()
    return best.encoding.replace("_", "-") if best else ""
