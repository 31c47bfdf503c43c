"""What the sheet of components shows: a run like one of a team's."""

from dataclasses import dataclass

import numpy as np

from apps.metrics import distributions
from apps.metrics.contracts import Interval
from apps.metrics.intervals import rate
from apps.web.charts import AxisRange, Picture, Segment, histogram
from apps.web.states import Tone

TARGET = 0.8
MARKS = {"p50": 742.0, "p95": 1840.0}
WORDS: dict[Tone, str] = {"ok": "Pass", "warn": "Unsure", "bad": "Fail"}
SCALE = AxisRange(low=0.6, high=1.0, ticks=5)
SEGMENTS = [
    Segment("scored", 37_598, "ok"),
    Segment("retrying", 94, "warn"),
    Segment("failed", 310, "bad"),
    Segment("waiting", 11_998, "neutral"),
]


@dataclass(frozen=True)
class Slice:
    name: str
    accuracy: Interval
    baseline: float

    @property
    def tone(self) -> Tone:
        low, high = self.accuracy.low or 0.0, self.accuracy.high or 1.0
        return "ok" if low >= TARGET else "bad" if high < TARGET else "warn"

    @property
    def word(self) -> str:
        return WORDS[self.tone]

    @property
    def difference(self) -> float:
        return (self.accuracy.point or 0.0) - self.baseline


@dataclass(frozen=True)
class Run:
    name: str
    state: str
    done: int
    accuracy: Interval
    p95: float
    cost: float | None


SLICES = [
    Slice(name, rate(round(n * share), n), baseline)
    for name, n, share, baseline in [
        ("English", 14_210, 0.902, 0.881),
        ("German", 6_120, 0.884, 0.869),
        ("Spanish", 4_388, 0.858, 0.861),
        ("Japanese", 1_985, 0.812, 0.79),
        ("Turkish", 604, 0.752, 0.781),
        ("Czech", 121, 0.777, 0.76),
    ]
]
RUNS = [
    Run("v14 prompt", "running", 37_908, rate(32_677, 37_908), 1840, 14.07),
    Run("v13 prompt", "completed_with_failures", 49_690, rate(41_900, 49_690), 1510, 15.2),
    Run("nightly", "completed", 50_000, rate(0, 0), 742, None),
]


def latency() -> Picture:
    shape = distributions.latencies(np.random.default_rng(1).lognormal(6.6, 0.42, 5_000))
    return histogram(shape, MARKS, unit="ms", name="Latency", slow_from=1800)
