"""Canonical JSON: one spelling for one value, so that equal values have equal hashes. Pure."""

import hashlib
from math import isfinite
from typing import Any

import orjson

SORTED = orjson.OPT_SORT_KEYS


def canonical(value: Any, *, finite: bool = False) -> bytes:
    """Compact UTF-8 JSON with keys sorted by code point and integers of any size exact.

    `finite` is the caller's word that no NaN or infinity is inside, and saves looking for them.
    Raises ValueError for what JSON cannot say: NaN, infinity, an unpaired surrogate, a key that
    is no string, more than 254 levels of nesting.
    """
    try:
        spelled = orjson.dumps(value, option=SORTED)
    except TypeError as error:
        if "64-bit" not in str(error):
            raise ValueError(str(error)) from error
        spelled = _spelled_with_long_integers(value)
    # orjson writes NaN and infinity as null: only where there is a null can there be one.
    if not finite and b"null" in spelled and not is_finite(value):
        raise ValueError("NaN and infinity are not JSON")
    return spelled


def sha256_hex(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def is_finite(value: Any) -> bool:
    """Whether no number in a JSON value, however deep, is NaN or infinite."""
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, dict):
        return all(map(is_finite, value.values()))
    if isinstance(value, list | tuple):
        return all(map(is_finite, value))
    return True


def _spelled_with_long_integers(value: Any) -> bytes:
    """orjson stops at 64 bits; longer integers go in as they are spelled in decimal."""
    try:
        return orjson.dumps(_long_integers_spelled(value), option=SORTED)
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _long_integers_spelled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _long_integers_spelled(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_long_integers_spelled(item) for item in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return orjson.Fragment(str(value))
    return value
