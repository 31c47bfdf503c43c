"""In what two runs differ beside their answers: what a reader of a comparison must know."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from apps.analysis.calibration.judging import named, who_judged
from apps.artifacts.models import Artifact
from apps.contract import Contract
from apps.datasets.models import DatasetVersion
from apps.runs.contracts import Plan, TargetPlan
from apps.runs.models import Run, RunState, Summary
from apps.targets.models import TargetVersion
from apps.web.templatetags.formats import plural

from .versions import changed, regrouped

PREDICTIONS = "predictions.jsonl"
NOBODY = "no judge"
NO_CONTRACT = "no contract"

_SAMPLING = ("temperature", "top_p", "max_new_tokens", "seed")
"""Settings of a target that change its answers beside the model and the prompt."""

_OF_SYSTEM = ("model", "system_prompt", "request_template", "base_url", "url", "extra_body")


class Unlike(Contract):
    """One thing in which the runs differ; `says` is a sentence that needs nothing beside it.

    `is_warning`: it may explain a difference of the answers. Other targets are what one compares:
    a fact.
    """

    what: str
    baseline: str
    candidate: str
    says: str
    is_warning: bool = True


def unlike(baseline: Run, candidate: Run) -> list[Unlike]:
    """The warnings first, then the facts; nine queries at most."""
    plans = Plan.model_validate(baseline.plan), Plan.model_validate(candidate.plan)
    found = [
        *_datasets(baseline.dataset_version, candidate.dataset_version),
        *_contracts(*plans),
        *_judges(baseline, candidate),
        *_trials(*plans),
        *_answers(baseline, candidate),
        *_ends(baseline, candidate),
        *_redactions(baseline, candidate),
        *_targets(*plans),
        *_programs(*plans),
    ]
    return sorted(found, key=lambda each: not each.is_warning)


def _datasets(old: DatasetVersion, new: DatasetVersion) -> Iterator[Unlike]:
    """Of one version the groups are the same; of two, they may be drawn otherwise."""
    if old == new:
        return
    if old.dataset_id != new.dataset_id:
        says = (
            f"The runs are of different datasets, {old} and {new}: only what both ask is compared."
        )
    else:
        n = changed(old, new)
        records = f": {n:,} of the records with the same id changed" if n else ""
        says = f"The runs are of different versions of the dataset, {old} and {new}{records}."
    yield _told("dataset version", (old, new), says)
    if told := regrouped(old, new):
        says = (
            f"The versions group their records differently, {told[0]} and {told[1]}: pairs that "
            "either of them groups count together."
        )
        yield _told("groups", told, says)


def _contracts(old: Plan, new: Plan) -> Iterator[Unlike]:
    names = [
        f"{each.contract.name}@{each.contract.number}" if each.contract else NO_CONTRACT
        for each in (old, new)
    ]
    contracts = [each.contract.version if each.contract else "" for each in (old, new)]
    if contracts[0] != contracts[1]:
        says = (
            f"Different contracts graded the answers, {names[0]} and {names[1]}: a difference may "
            "come from that."
        )
        yield _told("grading contract", names, says)
    if old.settings.data_rules != new.settings.data_rules:
        counted = [_yes(each.settings.data_rules) for each in (old, new)]
        only = "baseline" if old.settings.data_rules else "candidate"
        says = f"Rules that came with the data count in the {only} alone."
        yield _told("rules of the data", counted, says)


def _judges(baseline: Run, candidate: Run) -> Iterator[Unlike]:
    """Of the judges that were asked: one that was chosen and that no rule asks gave no score."""
    judged = who_judged([baseline, candidate])
    old, new = judged[baseline.pk], judged[candidate.pk]
    if old == new:
        return
    told = [named(each) or NOBODY for each in (old, new)]
    says = (
        f"Different judges gave the scores, {told[0]} in the baseline and {told[1]} in the "
        "candidate: a difference may come from them."
    )
    yield _told("judges", told, says)


def _trials(old: Plan, new: Plan) -> Iterator[Unlike]:
    tries = old.settings.trials, new.settings.trials
    if tries[0] != tries[1]:
        says = (
            f"Each record was tried {_times(tries[0])} in the baseline and {_times(tries[1])} in "
            "the candidate: a value is the mean of a record's tries."
        )
        yield _told("trials", tries, says)
    if (old.settings.pilot is None) != (new.settings.pilot is None):
        asked = [each.settings.pilot or each.dataset.accepted for each in (old, new)]
        pilot = "baseline" if new.settings.pilot is None else "candidate"
        says = (
            f"The {pilot} is a pilot, which asks only the first records: {asked[0]:,} were to be "
            f"asked in the baseline, {asked[1]:,} in the candidate."
        )
        yield _told("records asked", [f"{n:,}" for n in asked], says)


def _answers(baseline: Run, candidate: Run) -> Iterator[Unlike]:
    """Where answers come from: graded again, taken over, recorded elsewhere."""
    kinds = baseline.kind, candidate.kind
    if _answered_in(baseline) == _answered_in(candidate):
        says = "Both runs judge the same answers: only the grading differs."
        yield _told("answers", kinds, says)
    elif (Run.Kind.RECORDED in kinds) and baseline.kind != candidate.kind:
        recorded = "baseline" if baseline.kind == Run.Kind.RECORDED else "candidate"
        says = (
            f"The answers of the {recorded} were recorded elsewhere: its latency and cost may be "
            "missing."
        )
        yield _told("answers", kinds, says)
    elif _took_over(baseline, candidate):
        says = "One run took over answers of the other: records with the same answer cannot differ."
        yield _told("answers", kinds, says)


def _answered_in(run: Run) -> str:
    """The run whose answers they are; of a regrade it is the one that was first graded."""
    while run.kind == Run.Kind.REGRADE and run.parent:
        run = run.parent
    return run.pk


def _took_over(baseline: Run, candidate: Run) -> bool:
    return baseline.parent_id == candidate.pk or candidate.parent_id == baseline.pk


def _ends(baseline: Run, candidate: Run) -> Iterator[Unlike]:
    """Runs that did not end well, and by how many records."""
    runs = baseline, candidate
    if {run.state for run in runs} == {RunState.COMPLETED}:
        return
    counts = _counts(*runs)
    lacks = [_lacks(run, counts.get(run.pk, {})) for run in runs]
    told = [
        ", ".join([run.state.replace("_", " "), *lack])
        for run, lack in zip(runs, lacks, strict=True)
    ]
    missing = [
        f"in the {side} {' and '.join(lack)}"
        for side, lack in zip(("baseline", "candidate"), lacks, strict=True)
        if lack
    ]
    where = f": {'; '.join(missing)}" if missing else ""
    says = (
        f"Not every record has an answer{where}. What failed or was not asked is neither win nor "
        "loss."
    )
    yield _told("how the runs ended", told, says)


def _counts(*runs: Run) -> Mapping[str, dict[str, int]]:
    rows = Summary.objects.filter(run__in=runs, family="", metric__in=("failed", "skipped"))
    counts: dict[str, dict[str, int]] = {}
    for run, metric, point in rows.values_list("run", "metric", "point"):
        counts.setdefault(run, {})[metric] = int(point or 0)
    return counts


def _lacks(run: Run, counts: Mapping[str, int]) -> list[str]:
    """Nothing where every record has an answer."""
    of = plural(run.planned, run.unit)
    told = (("failed", "failed"), ("skipped", "were not asked"))
    return [f"{counts[metric]:,} of {of} {says}" for metric, says in told if counts.get(metric)]


def _redactions(baseline: Run, candidate: Run) -> Iterator[Unlike]:
    bundles = [run.bundle_id for run in (baseline, candidate)]
    found = Artifact.objects.filter(bundle__in=[each for each in bundles if each], name=PREDICTIONS)
    taken = {row.bundle_id: sum(row.redactions.values()) for row in found}
    old, new = (taken.get(bundle, 0) for bundle in bundles)
    if bool(old) != bool(new):
        says = (
            f"In the kept answers of the {'baseline' if old else 'candidate'} alone something was "
            f"redacted, {_times(old or new)}; they were judged as they came."
        )
        yield _told("redactions", (f"{old:,}", f"{new:,}"), says)


def _targets(old: Plan, new: Plan) -> Iterator[Unlike]:
    asked = [_answering(each) for each in (old, new)]
    versions = [sorted(each.version for each in parties) for parties in asked]
    if versions[0] == versions[1]:
        return
    specs = _specs([*versions[0], *versions[1]])
    before, after = (
        {key: value for version in own for key, value in specs.get(version, {}).items()}
        for own in versions
    )
    told = [_named(parties) for parties in asked]
    apart = _settings_that_differ(before, after)
    says = f"{told[0]} answered in the baseline, {told[1]} in the candidate{apart}."
    yield _told("target", told, says, is_warning=False)
    if sampled := _differing(_SAMPLING, before, after):
        says = f"The targets were asked with another {_listed(sampled)}."
        yield _told("settings", told, says)
    if _differing(("currency",), before, after):
        says = (
            f"Costs are in different currencies, {before['currency']} and {after['currency']}: "
            "their difference says nothing."
        )
        yield _told("currency", (before["currency"], after["currency"]), says)


def _settings_that_differ(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """By name only: who may see the run may not see all of its target."""
    names = _differing(_OF_SYSTEM, before, after)
    return f": they differ in {_listed(names)}" if names else ""


def _differing(
    names: Iterable[str], before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[str]:
    """Of those that both have: kinds of targets have different settings."""
    known = (name for name in names if name in before and name in after)
    return [name for name in known if before[name] != after[name]]


def _programs(old: Plan, new: Plan) -> Iterator[Unlike]:
    if old.evalhub != new.evalhub:
        says = f"EvalHub {old.evalhub} made the baseline, EvalHub {new.evalhub} the candidate."
        yield _told("EvalHub", (old.evalhub, new.evalhub), says, is_warning=False)


def _specs(versions: Iterable[str]) -> dict[str, dict[str, Any]]:
    rows = TargetVersion.objects.filter(pk__in=set(versions)).values_list("pk", "spec")
    return {pk: orjson.loads(spec) for pk, spec in rows}


def _answering(plan: Plan) -> list[TargetPlan]:
    return [each for each in plan.targets if each.role == "target"]


def _named(parties: Iterable[TargetPlan]) -> str:
    return ", ".join(sorted({f"{each.name} v{each.number}" for each in parties}))


def _told(what: str, sides: Sequence[object], says: str, *, is_warning: bool = True) -> Unlike:
    baseline, candidate = map(str, sides)
    return Unlike(
        what=what, baseline=baseline, candidate=candidate, says=says, is_warning=is_warning
    )


def _listed(names: Iterable[str]) -> str:
    *most, last = [name.replace("_", " ") for name in names]
    return f"{', '.join(most)} and {last}" if most else last


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n:,} times"


def _yes(counts: bool) -> str:
    return "counted" if counts else "not counted"
