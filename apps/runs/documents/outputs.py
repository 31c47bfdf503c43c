"""What came of a run: predictions with their scores, every attempt, every permanent failure."""

from collections.abc import Iterator

from apps.runs.models import ResultStatus, Run, Score
from apps.runs.proposing import taxonomy_label
from apps.runs.telling.verified import AGENTS, came_along, verified
from apps.runs.walking import walk, windows

from .inputs import merged, rejected
from .writing import Row, moment

_RECORD = ("record__record_id", "record__sha256", "record__input_sha256")
_RESULT = (
    *("id", "ordinal", "trial", "status", "cause", "detail", "extra", "response", "verdict"),
    *("score", "latency_ms", "input_tokens", "output_tokens", "total_tokens", "cost"),
    *("attempts", "carried", "first_attempt_at", "last_attempt_at"),
    *("process_score", "outcome_score"),
)
_PAYLOAD = ("record__kind", "record__payload")
_SCORE = ("rule", "judge", "value", "verdict", "reason", "method", "verifier", "raw")
_ATTEMPT = (
    *("ordinal", "trial", "started_at", "purpose", "rule", "call", "number", "latency_ms"),
    *("error_code", "detail", "http_status", "retry_after_ms", "input_tokens"),
    *("output_tokens", "cost", "model", "request_sha256", "cached"),
)


def predictions(run: Run) -> Iterator[Row]:
    more = _PAYLOAD if came_along(run) else ()
    results = run.results.order_by("trial").values(*_RESULT, *_RECORD, *more)
    for batch in windows(results, "ordinal", run.dataset_version.total):
        scores: dict[int, list[Row]] = {result["id"]: [] for result in batch}
        found = Score.objects.filter(result__in=list(scores)).order_by("pk")
        for score in found.values("result_id", *_SCORE):
            scores[score.pop("result_id")].append(score)
        for result in batch:
            given = scores[result["id"]]
            output = _verified(run, result, given)
            yield {**_prediction(result), **output, "evaluator_scores": given}


def attempts(run: Run) -> Iterator[Row]:
    ids = dict(run.dataset_version.records.values_list("ordinal", "record_id"))
    rows = run.attempts.order_by("trial", "purpose", "rule", "call", "number").values(*_ATTEMPT)
    for attempt in walk(rows, "ordinal", run.dataset_version.total):
        index, started_at = attempt.pop("ordinal"), attempt.pop("started_at")
        yield {
            "record_id": ids[index],
            "index": index,
            "started_at": moment(started_at),
            **attempt,
        }


def failures(run: Run) -> Iterator[Row]:
    """What failed for good, in one shape: rejected records first by index, then the asked ones."""
    yield from merged(_invalid_records(run), _failed_results(run))


def _verified(run: Run, result: Row, scores: list[Row]) -> Row:
    """What EvalHub says as a verifier; nothing where it gave no score."""
    payload = result["record__payload"] if result.get("record__kind") in AGENTS else None
    output = verified(
        run,
        process_score=result["process_score"],
        outcome_score=result["outcome_score"],
        raws=(score["raw"] for score in scores),
        payload=payload,
    )
    graded = any(score["verdict"] for score in scores)
    return output.model_dump(mode="json") | {
        "verifier_id": output.verifier_id if graded else None,
        "verifier_contract_version": output.verifier_contract_version or None,
        "failure_attribution": output.failure_attribution or None,
    }


def _prediction(result: Row) -> Row:
    extra = result["extra"] or {}
    same = (
        *("trial", "status", "cause", "detail"),
        *("score", "latency_ms", "input_tokens", "output_tokens", "total_tokens", "cost"),
        *("attempts", "carried"),
    )
    return {
        "record_id": result["record__record_id"],
        "index": result["ordinal"],
        "record_sha256": result["record__sha256"],
        "input_sha256": result["record__input_sha256"],
        **{name: result[name] for name in same},
        "model": extra.get("model", ""),
        "finish_reason": extra.get("finish_reason", ""),
        **({"turns": extra["turns"]} if extra.get("turns") else {}),
        "model_response": result["response"] or None,
        "verdict": result["verdict"] or None,
        "first_attempt_at": moment(result["first_attempt_at"]),
        "last_attempt_at": moment(result["last_attempt_at"]),
    }


def _invalid_records(run: Run) -> Iterator[Row]:
    if run.total_records == run.valid_records:
        return
    for row in rejected(run):
        first = row["errors"][0]
        yield {
            "index": row["index"],
            "record_id": row["record_id"],
            "trial": 0,
            "status": "invalid_record",
            "cause": first["code"],
            "label": "format_or_schema_violation",
            "detail": first["message"],
            "attempts": 0,
        }


def _failed_results(run: Run) -> Iterator[Row]:
    results = run.results.exclude(status=ResultStatus.COMPLETED).select_related("record")
    rows = results.defer("record__payload").order_by("trial")
    for result in walk(rows, "ordinal", run.dataset_version.total):
        yield {
            "index": result.ordinal,
            "record_id": result.record.record_id,
            "trial": result.trial,
            "status": result.status,
            "cause": result.cause,
            "label": taxonomy_label(result.status, result.cause),
            "detail": result.detail,
            "attempts": result.attempts,
        }
