"""The records that two runs share, with the groups and the slices that they are in."""

from dataclasses import dataclass

import numpy as np
from django.db.models import Count

from apps.datasets.models import Facet, FacetMember, Record
from apps.runs.models import Run

from .columns import batches, integers, joined, positions
from .pairing import Asked, Pairing, Positions, paired_by_input, paired_by_ordinal

MOST_SLICES = 400
"""The largest are compared: a version may have thousands, and nobody reads them all."""

_ASKED = ("input_sha256", "record_id")


@dataclass(frozen=True)
class Slices:
    """The positions of the pairs in each slice, by family and value; empty ones are not there."""

    pairs: dict[tuple[str, str], Positions]
    left_out: int


def paired(baseline: Run, candidate: Run, ours: Positions, theirs: Positions) -> Pairing:
    """Which records pair, of the sorted ordinals that each run was to ask."""
    old, new = baseline.dataset_version_id, candidate.dataset_version_id
    if old == new:
        return paired_by_ordinal(ours, theirs, _repeating(old))
    return paired_by_input(_asked(old, len(ours)), _asked(new, len(theirs)))


def clusters_of(run: Run, ordinals: Positions) -> Positions:
    """Of each ordinal (sorted) the number of its group, from 0; alone where it has none."""
    records = Record.objects.filter(version=run.dataset_version_id).exclude(group="")
    found = np.arange(len(ordinals))
    numbers: dict[str, int] = {}
    for batch in batches(records.values_list("ordinal", "group")):
        groups = [numbers.setdefault(row[1], len(ordinals) + len(numbers)) for row in batch]
        known, places = positions(ordinals, integers(batch, 0))
        found[places] = np.array(groups)[known]
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


def groups_of(
    baseline: Run, candidate: Run, ours: Positions, theirs: Positions, pairing: Pairing
) -> Positions:
    """Of each pair the number of its group, whichever run is the baseline.

    `ours` and `theirs`: the sorted ordinals of each run. Two pairs belong together where either
    version puts their records in one group.
    """
    old = clusters_of(baseline, ours)[pairing.baseline]
    if baseline.dataset_version_id == candidate.dataset_version_id:
        return old
    return _joined_groups(old, clusters_of(candidate, theirs)[pairing.candidate])


def _joined_groups(old: Positions, new: Positions) -> Positions:
    """Connected components: a pair is an edge from its group on one side to that on the other."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    first = int(old.max(initial=-1)) + 1
    nodes = first + int(new.max(initial=-1)) + 1
    edges = coo_array((np.ones(len(old), dtype=np.int8), (old, first + new)), shape=(nodes, nodes))
    labels = connected_components(edges, directed=False)[1]
    return np.asarray(labels[old], dtype=np.int64)


def slices_of(run: Run, ordinals: Positions) -> Slices:
    """The slices of the run's dataset over pairs of these ordinals, in any order."""
    version = run.dataset_version_id
    facets = Facet.objects.filter(version=version)
    chosen = facets.order_by("-n", "family", "value")[:MOST_SLICES]
    names = {pk: name for pk, *name in chosen.values_list("pk", "family", "value")}
    members = _members(list(names))
    order = np.argsort(ordinals, kind="stable")
    ascending = ordinals[order]
    pairs = {}
    for pk, held in sorted(members.items(), key=lambda each: names[each[0]]):
        _, places = positions(ascending, held)
        if len(places):
            pairs[names[pk][0], names[pk][1]] = np.sort(order[places])
    return Slices(pairs, max(0, facets.count() - MOST_SLICES))


def _members(facets: list[int]) -> dict[int, Positions]:
    if not facets:
        return {}
    rows = FacetMember.objects.filter(facet__in=facets).order_by("facet", "ordinal")
    fetched = batches(rows.values_list("facet", "ordinal"))
    facet, ordinal = joined(([integers(batch, 0), integers(batch, 1)] for batch in fetched), 2)
    found, first = np.unique(facet, return_index=True)
    parts = np.split(ordinal.astype(np.int64), first[1:])
    return dict(zip(found.astype(np.int64).tolist(), parts, strict=False))


def _repeating(version: str) -> Positions:
    """The ordinals of records whose input is asked more than once in the version."""
    records = Record.objects.filter(version=version)
    counted = records.values("input_sha256").annotate(n=Count("pk")).filter(n__gt=1)
    inputs = records.filter(input_sha256__in=counted.values("input_sha256"))
    fetched = batches(inputs.order_by("ordinal").values_list("ordinal"))
    return joined(([integers(batch, 0)] for batch in fetched), 1)[0].astype(np.int64)


def _asked(version: str, records: int) -> list[Asked]:
    rows = Record.objects.filter(version=version).order_by("ordinal").values_list(*_ASKED)
    return [asked for batch in batches(rows[:records]) for asked in batch]
