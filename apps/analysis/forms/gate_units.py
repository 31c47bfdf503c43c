"""Shares as people write them: in per cent, their differences in points."""

from apps.analysis.gates.telling.wording import unit_of


def in_unit(metric: str, written: float | None) -> float | None:
    return share(written) if unit_of(metric) == "percent" else written


def written(metric: str, value: float | None) -> float | None:
    return percent(value) if unit_of(metric) == "percent" else _whole(value)


def share(percent: float | None) -> float | None:
    return None if percent is None else round(percent / 100, 12)


def percent(share: float | None) -> float | None:
    return None if share is None else _whole(round(share * 100, 10))


def _whole(value: float | None) -> float | None:
    """3.0 is written 3."""
    return int(value) if value is not None and value.is_integer() else value
