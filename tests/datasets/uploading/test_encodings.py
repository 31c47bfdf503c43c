"""What bytes that are not UTF-8 are called."""

import pytest

from apps.datasets.contracts import Rejected
from apps.datasets.formats.decoding import require_utf8
from apps.datasets.uploading.bundles import Bundle
from apps.datasets.uploading.encodings import LATIN, guessed


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        ("café", "latin-1", LATIN),
        ("id,query\n1,Grüße aus Köln\n", "cp1252", LATIN),
        ("“Quoted” – for 5 €", "cp1252", LATIN),
        ("Это русский текст, и кодировка у него старая", "cp1251", "cp1251"),
        ("これは日本語のテキストです。質問に答えてください", "shift_jis", "shift-jis"),
        ("id,query\n1,Why?\n", "utf-16-le", "UTF-16"),
        ("id,query\n1,Why?\n", "utf-16", "UTF-16"),
        ("id,query\n1,Why?\n", "utf-32-be", "UTF-32"),
    ],
)
def test_an_encoding_is_named(text: str, encoding: str, name: str) -> None:
    assert guessed(text.encode(encoding)) == name


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_two_bytes_a_character_are_refused_without_a_mark_too(encoding: str) -> None:
    with pytest.raises(Rejected, match="It looks like UTF-16"):
        require_utf8("id,query,response\n1,q,r\n".encode(encoding))


def test_a_file_beside_is_named_with_its_encoding() -> None:
    bundle = Bundle("cases.jsonl", b"", {"cases.yaml": "name: café".encode("latin-1")})

    with pytest.raises(Rejected, match=f"cases.yaml is not UTF-8 text: it looks like {LATIN}"):
        bundle.text("cases.yaml")
