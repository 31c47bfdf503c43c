"""A comparison, computed once by whoever comes first: a worker, a command or a request."""

from importlib import import_module

from django.db import transaction
from django.db.models.functions import Now

from apps.analysis.models import Comparison
from apps.jobs.leases import Lease
from apps.metrics.compared import PairedRuns
from apps.runs.contracts import Plan
from apps.runs.models import Run

from .arrays import PairArrays, packed
from .loading import side_of
from .matching import groups_of, paired, slices_of
from .measuring import SLICED, arrays_for, measures_of, pairs_of


def perform(comparison: Comparison, lease: Lease) -> None:
    """Store what was computed and end the job, both or neither."""
    runs = Run.objects.select_related("dataset_version").in_bulk(
        [comparison.baseline_id, comparison.candidate_id]
    )
    body, arrays = compared(runs[comparison.baseline_id], runs[comparison.candidate_id], lease)
    found = {"body": body.model_dump(mode="json"), "pairs": packed(arrays), "as_of": Now()}
    with transaction.atomic():
        lease.require()
        Comparison.objects.filter(pk=comparison.pk).update(**found)
        lease.close(error="")


def warm_up() -> None:
    """The statistics take a second or two to import."""
    import_module("apps.metrics.comparing")


def compared(baseline: Run, candidate: Run, lease: Lease) -> tuple[PairedRuns, PairArrays]:
    """All that is said of two runs, and the arrays behind it; raises LeaseLost on the way."""
    from apps.metrics.comparing import compare

    ours = side_of(baseline)
    lease.require()
    theirs = side_of(candidate)
    lease.require()
    pairing = paired(baseline, candidate, ours.ordinals, theirs.ordinals)
    groups = groups_of(baseline, candidate, ours.ordinals, theirs.ordinals, pairing)
    pairs = pairs_of(ours, theirs, pairing, groups)
    measures = measures_of(ours, theirs, pairing)
    slices = slices_of(candidate, theirs.ordinals[pairing.candidate])
    lease.require()
    seed = Plan.model_validate(candidate.plan).settings.bootstrap_seed
    whole, parts = compare(pairs, measures, slices.pairs, seed=seed, sliced=SLICED)
    body = PairedRuns(
        shared=pairing.shared,
        whole=tuple(whole),
        slices=tuple(parts),
        seed=seed,
        slices_left_out=slices.left_out,
    )
    return body, arrays_for(ours, theirs, pairing, pairs, measures)
