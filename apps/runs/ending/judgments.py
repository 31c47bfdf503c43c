"""The judgments of a run in the row shape of the legal_eval_v1 pipeline, one JSON a line.

One row for each answer and each rule that judges: multiple choice, and rules that ask a model.
docs/formats/legal_eval_v1.md tells the row. Its numbers never say "none": where the judge gave no
readable reply, or several of them disagree, a row holds the 0 and `parse_error` of the pipeline.
Nothing else in EvalHub turns a missing score into a 0.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from apps.artifacts import lines
from apps.datasets.models import Record
from apps.datasets.prompting.legal import judging_of
from apps.datasets.sight import Sight
from apps.grading.rules.answers.choice import VERIFIER as EXACT_MATCH
from apps.grading.rules.judges.rubric import AGGREGATE
from apps.runs.documents.writing import moment
from apps.runs.models import Attempt, Result, Run, RunTarget, Score
from apps.runs.walking import WINDOW, batches
from apps.targets.models import TargetVersion

FORMAT = "legal_eval_v1"
MULTIPLE_CHOICE = "multiple_choice"
RUBRIC = "rubric_judge"
SETTINGS = ("temperature", "top_p", "max_new_tokens", "seed")
SEVERAL = "mixed"

Row = dict[str, Any]
Judges = Mapping[str, TargetVersion]


def is_legal(run: Run) -> bool:
    return run.dataset_version.format == FORMAT


def json_lines(run: Run, found: QuerySet[Result]) -> Iterator[bytes]:
    """The judgments of these results; raises ValidationError for records of another format."""
    if not is_legal(run):
        raise ValidationError(
            f"The records of {run.pk} are {run.dataset_version.format}, not {FORMAT}: their "
            "judgments have no place in its rows. Use results.jsonl."
        )
    return (lines.json_line(row) for row in rows(run, found))


def rows(run: Run, found: QuerySet[Result]) -> Iterator[Row]:
    """In the order of the results; four queries for every 500."""
    sight, judges = Sight(run.workspace), _judges(run)
    results = found.select_related("target_version__target").iterator(chunk_size=WINDOW)
    for batch in batches(results):
        scores, kept = _judging(batch), _from_cache(run, batch)
        records = Record.objects.in_bulk([result.record_id for result in batch])
        for result in batch:
            record = records[result.record_id]
            payload = sight.value(orjson.loads(record.payload))
            for score in scores[result.pk]:
                about = {"example_id": record.record_id, **_about(run, result, payload, score)}
                hit = (result.ordinal, result.trial, score.rule) in kept
                yield {**about, **_judged(score, judges), "cache_key": None, "cache_hit": hit}


def _judges(run: Run) -> Judges:
    """Who judged, by the name that rules use; "" is the judge named for the run."""
    found = run.targets.filter(role=RunTarget.Role.JUDGE).select_related("target_version__target")
    named = {each.name: each.target_version for each in found}
    default = next((each.target_version for each in found if each.is_default), None)
    return {**named, "": default} if default else named


def _judging(batch: list[Result]) -> dict[int, list[Score]]:
    """The scores of judges and of multiple choice; what does not apply to a record is no row."""
    by_result: dict[int, list[Score]] = {result.pk: [] for result in batch}
    for score in Score.objects.filter(result__in=list(by_result)).exclude(verdict=""):
        judges = score.method == "judge" or _type(score) == MULTIPLE_CHOICE
        if judges and (score.verdict != "skip" or _opinions(score)):
            by_result[score.result_id].append(score)
    return {key: sorted(scores, key=lambda score: score.pk) for key, scores in by_result.items()}


def _from_cache(run: Run, batch: list[Result]) -> set[tuple[int, int, str]]:
    """Place, trial and rule of judgments that a kept reply had a part in."""
    calls = run.attempts.filter(purpose=Attempt.Purpose.JUDGE, cached=True)
    found = calls.filter(ordinal__in={result.ordinal for result in batch})
    return set(found.values_list("ordinal", "trial", "rule"))


def _about(run: Run, result: Result, payload: Mapping[str, Any], score: Score) -> Row:
    row = payload["row"]
    target = result.target_version
    return {
        "run_id": run.pk,
        "run_started_at_utc": moment(run.started_at),
        "dataset": row["dataset"],
        "provenance": f"canonical:{row['task_type']}",
        "judge_mode": judging_of(payload).mode,
        "candidate_name": target.target.name if target else "",
        "request_id": f"judge:{run.pk}:{score.rule}:{result.ordinal}.{result.trial}",
    }


def _judged(score: Score, judges: Judges) -> Row:
    raw = score.raw or {}
    aggregate = raw.get(AGGREGATE) or {}
    missing = score.value is None
    return {
        **_who(score, judges),
        "score": 0.0 if missing else score.value,
        "pass": score.verdict == "pass",
        "rationale": _rationale(score),
        "criteria": {"overall": 0.0} if missing else _criteria(score),
        "parse_error": missing or bool(raw.get("parse_error")),
        "prbench_weighted_raw": aggregate.get("raw_sum"),
        "prbench_points_normalized": aggregate.get("normalized_points"),
        "prbench_points_clipped": aggregate.get("clipped_points"),
        "raw_judge": {**raw, "rule": score.rule, "verifier": score.verifier},
    }


def _who(score: Score, judges: Judges) -> Row:
    """Name, provider, model and settings of the judge, as the pipeline names them."""
    if _type(score) == MULTIPLE_CHOICE:
        return _named("deterministic_mcq", "programmatic", EXACT_MATCH, {})
    names = dict.fromkeys(each.get("judge", "") for each in _opinions(score)) or {score.judge: None}
    asked = [_told(judges[name]) for name in names if name in judges]
    provider, model = _one(asked, "provider"), _one(asked, "model")
    if _type(score) == RUBRIC:
        return _named("rubric_multi_judge", provider, model, {"judges": asked})
    settings = asked[0]["settings"] if len(asked) == 1 else {"judges": asked}
    return _named(" + ".join(each["name"] for each in asked), provider, model, settings)


def _named(name: str, provider: str, model: str, settings: Row) -> Row:
    return {
        "judge_name": name,
        "judge_provider": provider,
        "judge_model": model,
        "judge_settings": settings,
    }


def _told(judge: TargetVersion) -> Row:
    spec = judge.parsed.model_dump()
    return {
        "name": judge.target.name,
        "provider": spec["kind"],
        "model": spec.get("model", ""),
        "settings": {key: spec[key] for key in SETTINGS if spec.get(key) is not None},
    }


def _one(asked: list[Row], key: str) -> str:
    values = {str(each[key]) for each in asked}
    return values.pop() if len(values) == 1 else SEVERAL if values else ""


def _rationale(score: Score) -> str:
    """The reasons of all judges; of multiple choice, or where there is no value, the one reason."""
    said = [each for each in _opinions(score) if each.get("rationale")]
    if score.value is None or not said:
        return score.reason
    if len(said) == 1:
        return str(said[0]["rationale"])
    return "\n\n".join(f"{each['criterion']}: {each['rationale']}" for each in said)


def _criteria(score: Score) -> dict[str, float]:
    if _type(score) == MULTIPLE_CHOICE:
        return {"exact_match": score.value or 0.0}
    found = (score.raw or {}).get("criteria")
    numbers = found.items() if isinstance(found, dict) else ()
    plain = {name: value for name, value in numbers if isinstance(value, int | float)}
    return plain or {"overall": score.value or 0.0}


def _opinions(score: Score) -> list[Row]:
    found = (score.raw or {}).get("opinions")
    return found if isinstance(found, list) else []


def _type(score: Score) -> str:
    return score.verifier.partition("@")[0]
