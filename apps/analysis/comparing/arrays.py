"""The records that two runs share, as arrays; kept as bytes that hold numbers and nothing else."""

import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.format import read_array, write_array

from apps.metrics.compared import MOVES

Ordinals = npt.NDArray[np.int32]
Codes = npt.NDArray[np.int8]
Values = npt.NDArray[np.float32]
Array = npt.NDArray[Any]

LARGEST = 1 << 30
"""Bytes of one array: a hundred times the largest run."""

_BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, MemoryError)


@dataclass(frozen=True)
class PairArrays:
    """One entry per shared record, in the order of the baseline's ordinals.

    `moves`: by metric, the position of each record's move in `metrics.compared.MOVES`. `values`: by
    metric, what the baseline and the candidate have, NaN where there is none.
    """

    baseline_ordinals: Ordinals
    candidate_ordinals: Ordinals
    moves: Mapping[str, Codes] = field(default_factory=dict)
    values: Mapping[str, tuple[Values, Values]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.baseline_ordinals)

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(self.moves)


def packed(arrays: PairArrays) -> bytes:
    """The arrays as an archive as numpy makes them, compressed quickly."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in _named(arrays):
            with archive.open(f"{name}.npy", "w") as member:
                write_array(member, array, allow_pickle=False)
    return kept.getvalue()


def unpacked(kept: bytes, metric: str | None = None) -> PairArrays:
    """The arrays again, of one metric alone where it is named and there; ValueError where the bytes
    are none of ours."""
    try:
        with zipfile.ZipFile(io.BytesIO(kept)) as archive:
            return _checked(_read(archive, metric))
    except (OSError, KeyError, EOFError, TypeError, SyntaxError, *_BROKEN) as error:
        raise ValueError("these are no arrays of a comparison") from error


def _named(arrays: PairArrays) -> Iterator[tuple[str, Array]]:
    """Members are numbered by metric: the name of a rule is no name of a file."""
    yield "metrics", np.array(list(arrays.moves), dtype=np.str_)
    yield "baseline", arrays.baseline_ordinals
    yield "candidate", arrays.candidate_ordinals
    for place, (metric, codes) in enumerate(arrays.moves.items()):
        yield f"moves{place}", codes
        yield f"baseline{place}", arrays.values[metric][0]
        yield f"candidate{place}", arrays.values[metric][1]


def _array(archive: zipfile.ZipFile, name: str) -> Array:
    info = archive.getinfo(f"{name}.npy")
    if info.file_size > LARGEST:
        raise ValueError("an array of a comparison is too large")
    with archive.open(info) as member:
        found: Array = read_array(member, allow_pickle=False)
    return found


def _read(archive: zipfile.ZipFile, wanted: str | None) -> PairArrays:
    read = partial(_array, archive)
    places = {str(metric): place for place, metric in enumerate(read("metrics"))}
    if wanted is not None:
        places = {metric: place for metric, place in places.items() if metric == wanted}
    return PairArrays(
        read("baseline"),
        read("candidate"),
        {metric: read(f"moves{place}") for metric, place in places.items()},
        {
            metric: (read(f"baseline{place}"), read(f"candidate{place}"))
            for metric, place in places.items()
        },
    )


def _checked(arrays: PairArrays) -> PairArrays:
    length = arrays.baseline_ordinals.shape
    ordinals = [arrays.baseline_ordinals, arrays.candidate_ordinals]
    values = [side for pair in arrays.values.values() for side in pair]
    typed = ((np.int32, ordinals), (np.int8, arrays.moves.values()), (np.float32, values))
    for kind, parts in typed:
        if any(part.dtype != kind or part.shape != length for part in parts):
            raise ValueError("the arrays of a comparison are not of one length and their kind")
    if len(length) != 1 or any((codes // len(MOVES)).any() for codes in arrays.moves.values()):
        raise ValueError("a comparison has a move that nobody knows")
    return arrays
