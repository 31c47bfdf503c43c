"""Runs side by side: which records pair, what differs, and how sure that is."""

from .arrays import PairArrays
from .asking import (
    IN_REQUEST,
    MOST_CANDIDATES,
    ComparisonUnavailable,
    arrays_of,
    asked,
    body_of,
    comparison_of,
)
from .unlike import Unlike, unlike

__all__ = [
    "IN_REQUEST",
    "MOST_CANDIDATES",
    "ComparisonUnavailable",
    "PairArrays",
    "Unlike",
    "arrays_of",
    "asked",
    "body_of",
    "comparison_of",
    "unlike",
]
