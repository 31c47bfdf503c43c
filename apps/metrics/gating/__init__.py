"""What a gate says of numbers: one finding a check, and the answer that they come to."""

from .answers import answer_of
from .critical import critical
from .differences import non_inferiority
from .erred import WITH_ERRORS, counting_errors, weighed
from .failures import failure_regression, rate_difference
from .slices import Proof, nothing_differs, slice_harm, too_small
from .thresholds import By, threshold
from .words import Unit

__all__ = [
    "WITH_ERRORS",
    "By",
    "Proof",
    "Unit",
    "answer_of",
    "counting_errors",
    "critical",
    "failure_regression",
    "non_inferiority",
    "nothing_differs",
    "rate_difference",
    "slice_harm",
    "threshold",
    "too_small",
    "weighed",
]
