"""Two runs as what the statistics compare: pairs, a measure a metric, and the arrays to keep."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .arrays import PairArrays
from .columns import NONE, Floats, Integers
from .loading import AMOUNTS, OF_RESULTS, Side, rule_metrics
from .pairing import Pairing

if TYPE_CHECKING:
    from apps.metrics.comparing import Measure, Pairs

SLICED = ("pass_rate", "score_mean")
"""The metrics that are compared slice by slice too."""


def pairs_of(ours: Side, theirs: Side, pairing: Pairing, clusters: Integers) -> "Pairs":
    """`clusters`: the group of each pair."""
    from apps.metrics.comparing import Pairs

    return Pairs(
        baseline_failed=ours.broken[pairing.baseline],
        candidate_failed=theirs.broken[pairing.candidate],
        clusters=np.unique(clusters, return_inverse=True)[1].astype(np.int64),
    )


def measures_of(ours: Side, theirs: Side, pairing: Pairing) -> "list[Measure]":
    """A measure of each metric that both runs have, in the order that pages show."""
    from apps.metrics.comparing import Measure

    measures = []
    for metric in _metrics_of(ours, theirs):
        old, new = ours.metrics[metric], theirs.metrics[metric]
        measures.append(
            Measure(
                metric,
                old.means[pairing.baseline],
                new.means[pairing.candidate],
                binary=old.is_binary and new.is_binary,
                higher_is_better=metric not in AMOUNTS.values(),
                with_errors=_with_errors(metric, ours, theirs, pairing),
            )
        )
    return measures


def arrays_for(
    ours: Side, theirs: Side, pairing: Pairing, pairs: "Pairs", measures: "list[Measure]"
) -> PairArrays:
    from apps.metrics.comparing import move_codes

    return PairArrays(
        baseline_ordinals=ours.ordinals[pairing.baseline].astype(np.int32),
        candidate_ordinals=theirs.ordinals[pairing.candidate].astype(np.int32),
        moves={each.metric: move_codes(pairs, each) for each in measures},
        values={
            each.metric: (each.baseline.astype(np.float32), each.candidate.astype(np.float32))
            for each in measures
        },
    )


def _metrics_of(ours: Side, theirs: Side) -> Iterator[str]:
    """Pass rate always, where either run was judged; of the rest what both runs know."""
    rules = [rule for rule in ours.rules if rule in theirs.rules]
    for metric in (*OF_RESULTS, *(name for rule in rules for name in rule_metrics(rule))):
        unknown = [side.metrics[metric].is_empty for side in (ours, theirs)]
        if not any(unknown) or (metric == "pass_rate" and not all(unknown)):
            yield metric


def _with_errors(
    metric: str, ours: Side, theirs: Side, pairing: Pairing
) -> tuple[Floats, Floats] | None:
    """None for amounts. Where both runs failed, nobody knows whether a rule looks at the record."""
    if metric in AMOUNTS.values():
        return None
    old = ours.with_errors(ours.metrics[metric].means)[pairing.baseline]
    new = theirs.with_errors(theirs.metrics[metric].means)[pairing.candidate]
    if metric in OF_RESULTS:
        return old, new
    both = ours.broken[pairing.baseline] & theirs.broken[pairing.candidate]
    return np.where(both, NONE, old), np.where(both, NONE, new)
