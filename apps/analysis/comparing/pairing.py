"""Which records of two runs are the same question. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from apps.metrics.compared import Shared

Positions = npt.NDArray[np.int64]
Asked = tuple[str, str]
"""The hash of a record's input, and its id."""


@dataclass(frozen=True)
class Pairing:
    """The positions of each shared record among the baseline's and the candidate's records."""

    baseline: Positions
    candidate: Positions
    shared: Shared


def paired_by_ordinal(baseline: Positions, candidate: Positions, repeating: Positions) -> Pairing:
    """Of one dataset version: the same place is the same record.

    Ordinals, sorted; `repeating` are those whose input repeats in the version.
    """
    both, ours, theirs = np.intersect1d(
        baseline, candidate, assume_unique=True, return_indices=True
    )
    repeated = int(np.isin(both, repeating).sum())
    return _pairing(ours, theirs, len(baseline), len(candidate), repeated)


def paired_by_input(baseline: Sequence[Asked], candidate: Sequence[Asked]) -> Pairing:
    """On what was asked; where an input repeats in either run, on the record's id as well.

    What repeats and has no partner of its id is only in the run that has it.
    """
    repeating = _repeating(baseline) | _repeating(candidate)
    places = {_key(each, repeating): place for place, each in enumerate(candidate)}
    found = [places.get(_key(each, repeating), -1) for each in baseline]
    partner = np.array(found, dtype=np.int64)
    ours = np.flatnonzero(partner >= 0)
    repeated = sum(baseline[place][0] in repeating for place in ours.tolist()) if repeating else 0
    return _pairing(ours, partner[ours], len(baseline), len(candidate), repeated)


def _repeating(records: Sequence[Asked]) -> set[str]:
    counted = Counter(sha256 for sha256, _id in records)
    return {sha256 for sha256, count in counted.items() if count > 1}


def _key(record: Asked, repeating: set[str]) -> Asked:
    sha256, record_id = record
    return (sha256, record_id if sha256 in repeating else "")


def _pairing(
    ours: Positions, theirs: Positions, baseline: int, candidate: int, repeated: int
) -> Pairing:
    shared = Shared(
        shared=len(ours),
        only_baseline=baseline - len(ours),
        only_candidate=candidate - len(theirs),
        repeated=repeated,
    )
    return Pairing(ours.astype(np.int64), theirs.astype(np.int64), shared)
