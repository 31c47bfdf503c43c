"""Taking secrets and personal data out of what is stored; pure.

One scan (an RE2 set of triggers) decides which detectors look at a text; an ordinary answer costs
that scan alone. Numbers of JSON stay as they are: only texts and keys are looked at.
"""

import json
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import quote

import re2

from .credentials import SECRETS, is_keyed_secret
from .detector import Detector, encodable
from .personal import PERSONAL

__all__ = ["KINDS", "Redactor"]

KNOWN = "known_secret"
KINDS = tuple(dict.fromkeys([KNOWN, *(detector.kind for detector in (*SECRETS, *PERSONAL))]))

_SHORTEST_SECRET = 6  # a shorter one would shred ordinary words
_SHORTEST_TEXT = 6
_PASSES = 8
_MARKERS = frozenset(f"[REDACTED:{kind}]" for kind in KINDS)
_MARKER = re2.compile("|".join(map(re2.escape, sorted(_MARKERS))))

Span = tuple[int, int, str]


class Redactor:
    """Redacts texts and JSON values, and counts what it took by kind.

    `known` are secrets in use (keys of targets and judges): they go wherever they stand, also
    escaped as in JSON or in a URL. What was redacted once is not touched again. `counts` goes on
    counting until somebody clears it.
    """

    def __init__(
        self, *, secrets: bool = True, personal: bool = False, known: Iterable[str] = ()
    ) -> None:
        self._secrets = secrets
        self._detectors = _detectors(secrets, personal)
        self._triggers = _triggers(secrets, personal)
        self._known = _known_pattern(frozenset(known))
        self.counts: Counter[str] = Counter()

    def text(self, text: str) -> str:
        if len(text) < _SHORTEST_TEXT:
            return text
        for _ in range(_PASSES):  # what a redaction lays bare at its edges
            redacted = self._once(text)
            if redacted == text:
                break
            text = redacted
        return text

    def value(self, value: Any) -> Any:
        """The JSON value with every text and every key redacted; however deep it is."""
        root: list[Any] = [None]
        waiting: list[tuple[Any, Any, Any]] = [(root, 0, value)]
        while waiting:
            into, key, item = waiting.pop()
            if isinstance(item, str):
                into[key] = self._member(key, item)
            elif isinstance(item, dict):
                made: dict[Any, Any] = {}
                into[key] = made
                waiting.extend((made, self._key(name, made), item[name]) for name in item)
            elif isinstance(item, list | tuple):
                rows: list[Any] = [None] * len(item)
                into[key] = rows
                waiting.extend((rows, index, member) for index, member in enumerate(item))
            else:
                into[key] = item
        return root[0]

    def _member(self, key: Any, text: str) -> str:
        if self._secrets and isinstance(key, str) and is_keyed_secret(key, text):
            return text if text in _MARKERS else self._mark("secret")
        return self.text(text)

    def _key(self, name: Any, made: dict[Any, Any]) -> Any:
        """The redacted key, with its place reserved; two that become equal both stay."""
        key = unique = self.text(name) if isinstance(name, str) else name
        number = 1
        while unique in made:
            number += 1
            unique = f"{key} ({number})"
        made[unique] = None
        return unique

    def _once(self, text: str) -> str:
        readable = encodable(text)
        spans = _merged(self._found(readable))
        if not spans:
            return text
        pieces, position = [], 0
        for start, end, kind in spans:
            pieces += [text[position:start], self._mark(kind)]
            position = end
        return "".join(pieces) + text[position:]

    def _found(self, text: str) -> list[Span]:
        """What is to go, by start; markers of earlier redactions divide the text."""
        if "[REDACTED:" not in text:
            return self._found_in(text, 0)
        spans, position = [], 0
        for marker in _MARKER.finditer(text):
            spans += self._found_in(text[position : marker.start()], position)
            position = marker.end()
        return spans + self._found_in(text[position:], position)

    def _found_in(self, text: str, offset: int) -> list[Span]:
        spans: list[Span] = []
        if self._known:
            spans += [(*match.span(), KNOWN) for match in self._known.finditer(text)]
        for index in sorted(self._triggers.Match(text) or ()):
            detector = self._detectors[index]
            spans += [(start, end, detector.kind) for start, end in detector.find(text)]
        return [(start + offset, end + offset, kind) for start, end, kind in spans]

    def _mark(self, kind: str) -> str:
        self.counts[kind] += 1
        return f"[REDACTED:{kind}]"


def _merged(spans: list[Span]) -> list[Span]:
    """Overlapping spans as one, named for the gravest of them."""
    merged: list[Span] = []
    for start, end, kind in sorted(spans):
        if merged and start < merged[-1][1]:
            first, last, other = merged.pop()
            merged.append((first, max(last, end), min(kind, other, key=KINDS.index)))
        else:
            merged.append((start, end, kind))
    return merged


def _detectors(secrets: bool, personal: bool) -> tuple[Detector, ...]:
    return (SECRETS if secrets else ()) + (PERSONAL if personal else ())


@lru_cache
def _triggers(secrets: bool, personal: bool) -> Any:
    triggers = re2.Set.SearchSet()
    for detector in _detectors(secrets, personal):
        triggers.Add(detector.trigger)
    triggers.Compile()
    return triggers


@lru_cache(maxsize=64)
def _known_pattern(known: frozenset[str]) -> Any:
    long_enough = [encodable(secret) for secret in known if len(secret) >= _SHORTEST_SECRET]
    written = {form for secret in long_enough for form in _forms(secret)}
    longest_first = sorted(written, key=lambda form: (-len(form), form))
    return re2.compile("|".join(map(re2.escape, longest_first))) if longest_first else None


def _forms(secret: str) -> set[str]:
    """As it is, and as it stands in JSON and in a URL."""
    in_json = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    return {secret, quote(secret, safe=""), *in_json}
