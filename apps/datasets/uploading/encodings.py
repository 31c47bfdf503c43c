"""Which encoding bytes that are not UTF-8 may be in. Pure."""

import codecs

from charset_normalizer import from_bytes

BOMS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
HEAD = 4_096
SIGNS = frozenset("“”„‘’‚–—…€£«»°§·•©®™\u00a0")
LATIN = "Windows-1252 or Latin-1"
OFTEN = ["cp1252", "cp1250", "cp1251", "shift_jis", "gb18030", "big5", "euc_kr"]
"""What files are saved in by accident; rarer ones are not guessed."""


def marked(head: bytes) -> str:
    """What the first bytes say: a byte order mark, or the nulls of text in two or four bytes."""
    for mark, name in BOMS:
        if head.startswith(mark):
            return name
    nulls = head[:HEAD].count(0)
    if nulls > len(head[:HEAD]) // 2:
        return "UTF-32"
    return "UTF-16" if nulls > len(head[:HEAD]) // 4 else ""


def guessed(sample: bytes) -> str:
    """The most likely encoding of bytes that are no UTF-8."""
    if name := marked(sample):
        return name
    if _is_western(sample):
        return LATIN
    best = from_bytes(sample, steps=5, chunk_size=512, cp_isolation=OFTEN).best()
    return str(best.encoding).replace("_", "-") if best else LATIN


def _is_western(sample: bytes) -> bool:
    """Mostly ASCII, and what is not are letters and signs of western Europe."""
    others = [char for char in sample.decode("cp1252", "replace") if ord(char) > 127]
    fits = all(char in SIGNS or char.isalpha() for char in others)
    return fits and len(others) * 2 < len(sample)
