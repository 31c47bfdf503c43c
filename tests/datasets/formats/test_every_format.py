"""What holds for every format: the template comes back whole, and no bytes break a reader."""

import codecs
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.datasets.contracts import AcceptedRecord, Document, Header, Rejected, RejectedRecord
from apps.datasets.formats import FORMATS, Format, WithSidecar
from apps.datasets.uploading.bundles import Bundle

BROKEN = (b"\0", b'"', b"{", b"}", b"[", b"\n", b",", b"\xff", b"\\u0000", b"NaN", b"'=", b"&a *a")

DATASETS = [each.id for each in FORMATS.values() if each.purpose == "dataset"]

calm = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(params=list(FORMATS))
def dialect(request: pytest.FixtureRequest) -> Format:
    return FORMATS[request.param]


def opened(dialect: Format, raw: bytes, name: str = "") -> Document:
    return dialect.read(Bundle(name or dialect.template_name, raw))


def read(dialect: Format, raw: bytes, name: str = "") -> list[AcceptedRecord | RejectedRecord]:
    """The records; none where the file is refused as a whole."""
    try:
        return list(opened(dialect, raw, name))
    except Rejected:
        return []


def sidecar_of(dialect: Format, header: Header) -> bytes:
    return dialect.sidecar(header).encode() if isinstance(dialect, WithSidecar) else b""


def mutated(raw: bytes, seed: int) -> bytes:
    """The file with some bytes gone, doubled, cut off or replaced by what means something."""
    chance = random.Random(seed)
    changed = bytearray(raw)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed) + 1)
        length = chance.randrange(1, 40)
        piece = chance.choice([b"", *BROKEN, bytes(changed[at : at + length])])
        changed[at : at + chance.choice([0, length])] = piece
    return bytes(changed[: chance.choice([len(changed), chance.randrange(len(changed) + 1)])])


@pytest.mark.parametrize("format_id", DATASETS)
def test_what_is_written_is_read_as_the_same_records(format_id: str) -> None:
    dialect = FORMATS[format_id]
    document = opened(dialect, dialect.template)
    kept = [one for one in document if isinstance(one, AcceptedRecord)]

    written = b"".join(dialect.write(document.header, [one.payload for one in kept]))

    beside = {"again.yaml": sidecar_of(dialect, document.header)}
    again = list(dialect.read(Bundle(f"again{dialect.endings[0]}", written, beside)))
    assert kept
    assert [(one.record_id, one.sha256) for one in again if isinstance(one, AcceptedRecord)] == [
        (one.record_id, one.sha256) for one in kept
    ]


@calm
@given(seed=st.integers(0, 2**32))
def test_a_damaged_file_is_read_or_refused_and_never_breaks_the_reader(
    dialect: Format, seed: int
) -> None:
    found = read(dialect, mutated(dialect.template, seed))

    kept = [one.index for one in found if isinstance(one, AcceptedRecord)]
    assert len(set(kept)) == len(kept)
    assert all(one.issues for one in found if isinstance(one, RejectedRecord))


@calm
@given(raw=st.binary(max_size=400) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_read_or_refused(dialect: Format, raw: bytes) -> None:
    for ending in dialect.endings:
        read(dialect, raw, f"any{ending}")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_another_encoding_is_named(dialect: Format, encoding: str) -> None:
    raw = dialect.template.decode().encode(encoding)

    with pytest.raises(Rejected, match=f"UTF-8.*{encoding.upper()}|must be UTF-8"):
        list(opened(dialect, raw))


def test_a_byte_order_mark_changes_nothing(dialect: Format) -> None:
    plain = read(dialect, dialect.template)
    marked = read(dialect, codecs.BOM_UTF8 + dialect.template)

    assert [one.sha256 for one in marked if isinstance(one, AcceptedRecord)] == [
        one.sha256 for one in plain if isinstance(one, AcceptedRecord)
    ]
    assert len(marked) == len(plain) > 0
