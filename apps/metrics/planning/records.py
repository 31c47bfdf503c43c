"""How many records a difference or an interval takes, and what slices can show."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from apps.metrics import wilson
from apps.metrics.compared import Difference
from apps.metrics.contracts import TOO_FEW, Interval
from apps.metrics.planned import Needed, SlicePlan


class Part(NamedTuple):
    """A slice and how many records it has."""

    family: str
    value: str
    n: int


def records_for_rate(share: float, half_width: float) -> int:
    """How many records give a rate near `share` an interval of ± half_width (0 < … < 0.5).

    Wilson's interval solved for n; independent records.
    """
    return max(1, math.ceil(wilson.size_for(share, half_width) - 1e-9))


def design_effect(rate: Interval, records: int) -> float | None:
    """How many of these records are worth one independent record of a single try.

    n / effective n (Kish 1965), by the rate's own interval: above 1 where records hang together in
    groups, below 1 where each has several tries. None where the interval has no bounds.
    """
    if rate.point is None or rate.low is None or rate.high is None or not records:
        return None
    return records / wilson.worth(rate)


def records_for_interval(
    interval: Interval, half_width: float, *, records: int, is_rate: bool
) -> int | None:
    """How many records give this estimate an interval of ± half_width; None where it has none.

    `records`: how many are behind it. Wilson's for rates, times the design effect; a mean's
    interval is narrower by the square root of n.
    """
    if interval.point is None:
        return None
    if is_rate:
        effect = design_effect(interval, records) or 1.0
        return max(1, math.ceil(wilson.size_for(interval.point, half_width) * effect - 1e-9))
    if interval.low is None or interval.high is None:
        return None
    times = (interval.high - interval.low) / (2 * half_width)
    return max(1, math.ceil(records * times**2 - 1e-9))


def records_needed(
    difference: float, discordance: float, *, binary: bool, design: float = 1.0
) -> Needed:
    """How many records show a difference: `design` times what independent ones take, and never
    fewer than a verdict is given on."""
    from apps.metrics.comparing.power import needed

    found = needed(difference, discordance, binary=binary)
    if found.n is None:
        return found
    n = max(TOO_FEW, math.ceil(found.n * design - 1e-9))
    return found.model_copy(update={"n": n})


def detectable_by(
    discordance: float, records: int, *, binary: bool, design: float = 1.0
) -> float | None:
    """The smallest difference that so many records show; None below what a verdict is given on."""
    from apps.metrics.comparing.power import detectable

    if records < TOO_FEW:
        return None
    return detectable(discordance, records / design, binary=binary)


def independent_discordance(interval: Interval, *, binary: bool) -> float | None:
    """The mean squared difference of a pair whose answers have nothing to do with each other.

    For pass and fail 2 p (1 - p); for a mean twice the variance that its interval tells. Two runs
    that tend to fail on the same records have less: this is the worst case.
    """
    if interval.point is None:
        return None
    if binary:
        return 2 * interval.point * (1 - interval.point)
    if interval.low is None or interval.high is None:
        return None
    error = (interval.high - interval.low) / (2 * wilson.Z)
    return 2 * interval.n * error**2


def discordance_of(difference: Difference) -> float | None:
    """The mean squared difference that two runs showed, by the variance that their interval tells;
    for pass and fail the share of records that changed."""
    if not difference.n or difference.difference.point is None:
        return None
    if difference.binary:
        return (difference.moves.better + difference.moves.worse) / difference.n
    interval = difference.difference
    if interval.low is None or interval.high is None:
        return None
    error = (interval.high - interval.low) / (2 * wilson.Z)
    return difference.n * error**2 + difference.difference.point**2


def slice_plans(
    parts: Sequence[Part],
    *,
    difference: float,
    discordance: float,
    binary: bool,
    design: float = 1.0,
) -> list[SlicePlan]:
    """What each slice shows, and how many records it lacks for the wanted difference.

    With one discordance and one design effect for all, and each slice asked alone: Holm over many
    takes more.
    """
    wanted = records_needed(difference, discordance, binary=binary, design=design).n
    return [
        SlicePlan(
            family=part.family,
            value=part.value,
            n=part.n,
            too_few=part.n < TOO_FEW,
            detectable=detectable_by(discordance, part.n, binary=binary, design=design),
            lacking=None if wanted is None else max(0, wanted - part.n),
        )
        for part in parts
    ]
