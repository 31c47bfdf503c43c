"""Records that pass in some runs and fail in others: by chance, by change, or by target."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np

from apps.metrics.arrays import Booleans, Floats, Integers
from apps.metrics.ranked import Flicker, Mixed

LISTED = 100


class Asked(NamedTuple):
    """Who answered in a run: a target and the version of it."""

    target: str
    version: str


@dataclass(frozen=True)
class Flickering:
    """Of each kind the most undecided first, up to a bound; the counts count them all.

    `judged` records were judged by at least two runs: flickering + changed + differing + passed +
    failed = judged, the last two being what every run says that judged the record.
    """

    listed: tuple[Flicker, ...]
    flickering: int
    changed: int
    differing: int
    judged: int
    passed: int
    failed: int


def flickering(
    passes: Floats,
    asked: Sequence[Asked],
    ordinals: Sequence[int] | Integers,
    *,
    most: int = LISTED,
) -> Flickering:
    """Which records change their verdict from run to run, and how.

    `passes` is runs × records, the oldest run first: 1 passed, 0 failed, NaN not judged; `asked`
    has an entry a run. A record that one run alone judged is of no kind. It `flickers` where two
    runs of one target version disagree, or where its verdict changes more than once from run to
    run of a target; it `changed` where that happened once; else it `differs` from target to target.
    """
    known = ~np.isnan(passes)
    judged = known.sum(axis=0)
    passed = np.where(known, passes, 0).sum(axis=0).astype(np.int64)
    several = judged >= 2
    mixed = several & (passed > 0) & (passed < judged)
    changes = _most_changes(passes, asked)
    flickers = mixed & ((changes > 1) | _disagree(passes, asked))
    changed = mixed & ~flickers & (changes == 1)
    kinds: dict[Mixed, Booleans] = {
        "flickers": flickers,
        "changed": changed,
        "differs": mixed & ~flickers & ~changed,
    }
    counts = np.stack([passed, judged, np.asarray(ordinals)]).astype(np.int64)
    return Flickering(
        listed=tuple(one for kind, of in kinds.items() for one in _listed(kind, of, counts, most)),
        flickering=int(kinds["flickers"].sum()),
        changed=int(kinds["changed"].sum()),
        differing=int(kinds["differs"].sum()),
        judged=int(several.sum()),
        passed=int((several & (passed == judged)).sum()),
        failed=int((several & (passed == 0)).sum()),
    )


def _most_changes(passes: Floats, asked: Sequence[Asked]) -> Integers:
    """Per record, of the target with most: how often its verdict is not that of the run before."""
    most = np.zeros(passes.shape[1], dtype=np.int64)
    for runs in _alike(passes, [each.target for each in asked]):
        changes, last = np.zeros_like(most), np.full(passes.shape[1], np.nan)
        for verdicts in runs:
            judged = ~np.isnan(verdicts)
            changes += judged & ~np.isnan(last) & (verdicts != last)
            last = np.where(judged, verdicts, last)
        most = np.maximum(most, changes)
    return most


def _disagree(passes: Floats, asked: Sequence[Asked]) -> Booleans:
    """Per record: a target version both passed and failed it."""
    found = np.zeros(passes.shape[1], dtype=np.bool_)
    for runs in _alike(passes, asked):
        found |= (runs == 1).any(axis=0) & (runs == 0).any(axis=0)
    return found


def _alike(passes: Floats, keys: Sequence[str] | Sequence[Asked]) -> Iterator[Floats]:
    """The rows of each key, in their order."""
    places = sorted(range(len(keys)), key=lambda place: keys[place])
    for _, group in groupby(places, key=lambda place: keys[place]):
        yield passes[list(group)]


def _listed(kind: Mixed, of: Booleans, counts: Integers, most: int) -> list[Flicker]:
    """Those nearest to one half first, then by ordinal."""
    passed, judged, ordinals = counts[:, of]
    undecided = np.abs(passed / judged - 0.5)
    chosen = np.lexsort((ordinals, undecided))[:most]
    rows = zip(ordinals[chosen], passed[chosen], judged[chosen], strict=True)
    return [Flicker(kind=kind, ordinal=int(o), passed=int(p), judged=int(j)) for o, p, j in rows]
