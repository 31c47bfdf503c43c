"""Score ranges of a criterion: what an answer is like for each mark from 0 to 10."""

import re
from collections.abc import Mapping

LOWEST, HIGHEST = 0, 10
PASSES = 7
_BAND = re.compile(r"\s*(\d{1,2})\s*(?:[-\u2013]\s*(\d{1,2})\s*)?", re.ASCII)

Bands = dict[str, str]


def bands(score_ranges: Mapping[str, str]) -> Bands | str:
    """The bands as "from-to", from 0 up, or one sentence about why they cannot be used.

    Keys are "0-3" or "4"; where all are single numbers, each begins a band that ends before the
    next. Each whole number from 0 to 10 is in exactly one band.
    """
    found = {key: _BAND.fullmatch(key) for key in score_ranges}
    if unread := [key for key, match in found.items() if match is None]:
        return f"the score range {unread[0][:40]!r} is not written like 0-3 or 4"
    spans = {key: (int(match[1]), match[2]) for key, match in found.items() if match}
    starts = sorted(start for start, _ in spans.values())
    single = not any(end for _, end in spans.values())
    ends = dict(zip(starts, [*(start - 1 for start in starts[1:]), HIGHEST], strict=True))
    closed = {
        key: (start, ends[start] if single else int(end or start))
        for key, (start, end) in spans.items()
    }
    return _uncovered(list(closed.values())) or _written(closed, score_ranges)


def _uncovered(closed: list[tuple[int, int]]) -> str:
    """Where the bands miss a mark, name one twice or leave the scale."""
    if any(start > end or end > HIGHEST for start, end in closed):
        return "the score ranges go from 0 up to 10"
    for mark in range(LOWEST, HIGHEST + 1):
        times = sum(start <= mark <= end for start, end in closed)
        if times != 1:
            return f"the mark {mark} is in {times or 'none'} of the score ranges; each is in one"
    return ""


def _written(closed: Mapping[str, tuple[int, int]], score_ranges: Mapping[str, str]) -> Bands:
    ordered = sorted(closed.items(), key=lambda band: band[1])
    return {
        f"{start}-{end}" if end > start else str(start): score_ranges[key]
        for key, (start, end) in ordered
    }
