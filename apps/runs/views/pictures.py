"""The pictures of a run: how its latencies and its scores are distributed."""

from apps.runs.queries import Figures
from apps.web.charts import Picture, histogram


def latency(figures: Figures) -> Picture | None:
    """None where no call was measured."""
    shape = figures.shapes.get("latency_p50")
    if shape is None or not shape.count:
        return None
    p50, p95 = (figures.of(name).point for name in ("latency_p50", "latency_p95"))
    return histogram(shape, {"p50": p50, "p95": p95}, unit="ms", name="Latency", slow_from=p95)


def scores(figures: Figures) -> Picture | None:
    """None where nothing has a score."""
    shape = figures.shapes.get("score_mean")
    if shape is None or not shape.count:
        return None
    return histogram(shape, {"mean": figures.of("score_mean").point}, unit="score", name="Scores")
