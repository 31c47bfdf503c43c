"""The arrays of a comparison as bytes and back; bytes that are none of ours."""

import io
import zipfile
from typing import Any

import numpy as np
import pytest
from numpy.lib.format import write_array

from apps.analysis.comparing.arrays import PairArrays, packed, unpacked

NAN = float("nan")


def some(**changes: Any) -> PairArrays:
    parts: dict[str, Any] = {
        "baseline_ordinals": np.array([0, 2], dtype=np.int32),
        "candidate_ordinals": np.array([1, 0], dtype=np.int32),
        "moves": {"rule:a/../b:mean": np.array([0, 4], dtype=np.int8)},
        "values": {
            "rule:a/../b:mean": (
                np.array([0.25, NAN], dtype=np.float32),
                np.array([1, 0.1], dtype=np.float32),
            )
        },
    }
    return PairArrays(**{**parts, **changes})


def archive(**members: Any) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as file:
        for name, value in members.items():
            with file.open(f"{name}.npy", "w") as member:
                write_array(member, value, allow_pickle=True)
    return kept.getvalue()


def test_arrays_come_back_as_they_were() -> None:
    found = unpacked(packed(some()))

    assert len(found) == 2
    assert found.metrics == ("rule:a/../b:mean",)
    assert found.baseline_ordinals.tolist() == [0, 2]
    assert found.candidate_ordinals.tolist() == [1, 0]
    assert found.moves["rule:a/../b:mean"].tolist() == [0, 4]
    before, after = found.values["rule:a/../b:mean"]
    np.testing.assert_array_equal(before, np.array([0.25, NAN], dtype=np.float32))
    assert after.dtype == np.float32


def test_of_one_metric_nothing_else_is_read() -> None:
    before, after = np.zeros((2, 2), dtype=np.float32)
    codes = np.array([0, 4], dtype=np.int8)
    names = ("pass_rate", "score_mean")
    kept = packed(
        some(moves=dict.fromkeys(names, codes), values=dict.fromkeys(names, (before, after)))
    )

    found = unpacked(kept, "score_mean")

    assert (found.metrics, tuple(found.values)) == (("score_mean",), ("score_mean",))
    assert len(found) == 2
    assert unpacked(kept, "cost_mean").metrics == ()


def test_no_pairs_and_no_metric_are_arrays_too() -> None:
    empty = np.empty(0, dtype=np.int32)

    found = unpacked(packed(PairArrays(empty, empty)))

    assert (len(found), found.metrics) == (0, ())


def test_numpy_opens_the_archive_as_well() -> None:
    with np.load(io.BytesIO(packed(some())), allow_pickle=False) as found:
        assert found["moves0"].tolist() == [0, 4]


ONE = np.array([1], dtype=np.int32)
PICKLED = np.array([{"any": "object"}], dtype=object)


@pytest.mark.parametrize(
    "kept",
    [
        b"",
        b"PK\x03\x04 nothing of the kind",
        b"\x80\x04\x95 a pickle",
        packed(some())[:-40],
        archive(baseline=ONE),
        archive(metrics=PICKLED, baseline=ONE, candidate=ONE),
        archive(metrics=np.array([], dtype=np.str_), baseline=PICKLED, candidate=ONE),
        archive(metrics=np.array(["a"]), baseline=ONE, candidate=ONE),
        packed(some(candidate_ordinals=np.array([1], dtype=np.int32))),
        packed(some(baseline_ordinals=np.zeros((2, 1), dtype=np.int32))),
        packed(some(baseline_ordinals=np.array([0.5, 1.5]))),
        packed(some(moves={"rule:a/../b:mean": np.array([0, 5], dtype=np.int8)})),
        packed(some(moves={"rule:a/../b:mean": np.array([0, -1], dtype=np.int8)})),
    ],
    ids=str,
)
def test_bytes_that_are_none_of_ours_are_refused(kept: bytes) -> None:
    with pytest.raises(ValueError, match=r"comparison|allow_pickle|magic"):
        unpacked(kept)
