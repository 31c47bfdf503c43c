"""Wilson's interval of a single rate without arrays, and how many tries it is worth."""

import math
from statistics import NormalDist

from apps.metrics.contracts import LEVEL, Interval

Z = NormalDist().inv_cdf((1 + LEVEL) / 2)


def bounds(share: float, n: float) -> tuple[float, float]:
    """As `intervals.wilson`; n may be an effective size, above 0."""
    square = Z * Z / n
    center = (share + square / 2) / (1 + square)
    half = half_width(share, n)
    return (0.0 if share == 0 else center - half), (1.0 if share == 1 else center + half)


def half_width(share: float, n: float) -> float:
    square = Z * Z / n
    return math.sqrt(square * (share * (1 - share) + square / 4)) / (1 + square)


def size_for(share: float, half: float) -> float:
    """How many tries give this half width (0 < half < 0.5): `half_width` solved for n."""
    # (2 h (n + z²))² = z² (4 n p q + z²), a quadratic of n.
    square, spread = Z * Z, share * (1 - share)
    a, b = half * half, 2 * half * half * square - square * spread
    c = square * square * (half * half - 0.25)
    return (-b + math.sqrt(b * b - 4 * a * c)) / (2 * a)


def worth(interval: Interval) -> float:
    """How many independent tries an interval of Wilson is worth, by its wider side."""
    point, low, high = interval.point or 0.0, interval.low or 0.0, interval.high or 0.0
    far = low if point - low > high - point else high
    return math.inf if far == point else Z * Z * far * (1 - far) / (point - far) ** 2
