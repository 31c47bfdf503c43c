"""Canonical JSON: one value, one spelling, one hash."""

import json
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.artifacts.canonical import canonical, is_finite, sha256_hex

SPELLINGS: list[tuple[Any, str]] = [
    ({"b": 1, "a": [True, None, "é"]}, '{"a":[true,null,"é"],"b":1}'),
    ({"é": 1, "z": 2, "Z": 3, "😀": 4, "\uffee": 5}, '{"Z":3,"z":2,"é":1,"\uffee":5,"😀":4}'),
    ('"\\/\n\x07', '"\\"\\\\/\\n\\u0007"'),
    ({"b": 10**30, "a": -(2**63) - 1}, f'{{"a":{-(2**63) - 1},"b":{10**30}}}'),
    ([2**64 - 1, -(2**63), 2**64], f"[{2**64 - 1},{-(2**63)},{2**64}]"),
    ({"n": 2**70, "f": 1.5, "t": (1, "null")}, f'{{"f":1.5,"n":{2**70},"t":[1,"null"]}}'),
    ({}, "{}"),
]


@pytest.mark.parametrize(("value", "spelling"), SPELLINGS)
def test_a_value_has_one_spelling(value: Any, spelling: str) -> None:
    assert canonical(value).decode() == spelling


@pytest.mark.parametrize(
    "value",
    [
        nan,
        inf,
        {"a": [-inf]},
        [None, {"a": (1, nan)}],
        "\ud800",
        {"\udfff": 1},
        [2**70, "\ud800"],
        {1: "a"},
        object(),
    ],
)
def test_what_json_cannot_say_has_none(value: Any) -> None:
    with pytest.raises(ValueError):
        canonical(value)


@pytest.mark.parametrize(("levels", "fine"), [(254, True), (255, False), (100_000, False)])
def test_nesting_has_an_end(levels: int, fine: bool) -> None:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]

    if fine:
        assert canonical(value) == b"[" * levels + b"]" * levels
        return
    with pytest.raises(ValueError):
        canonical(value)


def test_a_hash_is_the_sha256_of_the_bytes() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    assert sha256_hex(b"") == empty


@pytest.mark.parametrize(("value", "fine"), [([1, {"a": 2.5}], True), ([{"a": (inf,)}], False)])
def test_infinity_is_found_however_deep(value: Any, fine: bool) -> None:
    assert is_finite(value) is fine


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.text()
        | st.floats(allow_nan=False, max_value=1e300, min_value=-1e300),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_canonical_json_says_the_same_value(value: Any) -> None:
    spelled = canonical(value)

    assert json.loads(spelled) == value
    assert canonical(json.loads(spelled)) == spelled
