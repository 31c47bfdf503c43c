"""Numbers and names as reports spell them. Pure."""

import re

from apps.analysis.gates.contracts import Check, SeenSlice
from apps.analysis.gates.telling.wording import unit_of
from apps.metrics.contracts import Interval
from apps.metrics.gating.words import amount, change, estimate, estimated_change, points

UNKNOWN = "not measured"
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKUP = re.compile(
    r"[\\`*\[\]<>|~$]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # inside a word it emphasises nothing
    r"|:(?=//|[\w+-]+:)|(?<=[wW]{3})\."  # links and emoji
    r"|\{(?=[-+])"  # what was added or taken away, where diffs have a markup
    r"|^[-+=](?!\w)|(?<=^\d)[.)](?=\s|$)|(?<=^\d\d)[.)](?=\s|$)"  # lists and rules
)
"""What Markdown could read as more than text, and nothing else: people read comments raw too."""
_ENTITY = re.compile(r"&(?=#?\w+;)")
_CALLS = re.compile("[@#]")
"""What calls a person or an issue, unless something stands behind it."""
_REPLACEMENT = "�"


def observed(check: Check) -> str:
    """What was held against the limit, with its interval and n."""
    found = check.difference if check.difference is not None else check.observed
    if found is None:
        return ""
    return _told(found, check, is_difference=check.difference is not None)


def limit(check: Check) -> str:
    """At least 80 %; of a difference, the margin."""
    if check.limit is None:
        return ""
    unit = unit_of(check.metric)
    if check.side:
        return f"{check.side.replace('_', ' ')} {amount(check.limit, unit)}"
    return f"margin {points(check.limit, unit)}"


def difference_of(check: Check, seen: SeenSlice) -> str:
    point = seen.difference.point
    return "–" if point is None else change(point, unit_of(check.metric))


def bounds_of(check: Check, seen: SeenSlice) -> str:
    """−9.7 to +3.6 points; '' where the difference has no interval."""
    low, high, unit = seen.difference.low, seen.difference.high, unit_of(check.metric)
    if low is None or high is None:
        return ""
    lower = change(low, unit).removesuffix(" points").removesuffix(" point")
    return f"{lower} to {change(high, unit)}"


def for_xml(text: str) -> str:
    """Without what XML 1.0 cannot say, not even escaped."""
    return _NOT_IN_XML.sub(_REPLACEMENT, text)


def for_terminal(text: str) -> str:
    """On one line, and nothing in it that a terminal would obey."""
    line = " ".join(text.split())
    return "".join(each if each.isprintable() else _REPLACEMENT for each in line)


def for_markdown(text: str) -> str:
    """Text that stays text in a comment: no markup, link, mention or reference to an issue."""
    escaped = _MARKUP.sub(r"\\\g<0>", _ENTITY.sub("&amp;", for_terminal(text)))
    return _CALLS.sub(r"\g<0>&#8203;", escaped)


def _told(found: Interval, check: Check, *, is_difference: bool) -> str:
    if found.point is None:
        return UNKNOWN
    unit = unit_of(check.metric)
    return estimated_change(found, unit) if is_difference else estimate(found, unit)
