"""From what was found out to the rows that keep it: secrets are redacted on the way."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from apps.artifacts.redaction import Redactor
from apps.grading.contracts import Score as GivenScore
from apps.runs.contracts import Held
from apps.runs.engine.items import Call, Finished, Item
from apps.runs.engine.turns import kept_turns
from apps.runs.models import Attempt, Result, Score
from apps.targets.contracts import Reply

MODEL = "model"
"""The key of `Result.extra` that says who answered: it is there where an answer is."""

# PostgreSQL keeps neither NUL nor unpaired surrogates, in text or in JSON.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def attempt_row(run_id: str, call: Call, redactor: Redactor) -> Attempt:
    reply = call.reply
    return Attempt(
        run_id=run_id,
        ordinal=call.ordinal,
        trial=call.trial,
        purpose=call.purpose,
        rule=call.rule,
        call=call.call,
        number=call.number,
        started_at=call.started_at,
        latency_ms=reply.latency_ms,
        error_code=reply.error_code or "",
        detail=stored(reply.detail, redactor),
        http_status=reply.http_status,
        retry_after_ms=reply.retry_after_ms,
        input_tokens=reply.usage.input_tokens,
        output_tokens=reply.usage.output_tokens,
        cost=reply.cost,
        request_sha256=reply.request_sha256,
        cached=reply.cached,
        model=reply.model,
    )


def result_row(
    run_id: str, target_version_id: str, finished: Finished, redactor: Redactor
) -> Result:
    item, held = finished.item, finished.item.held
    return Result(
        run_id=run_id,
        record_id=item.record_pk,
        ordinal=item.ordinal,
        trial=item.trial,
        target_version_id=item.target_version_id if item.carried else target_version_id,
        status=finished.status,
        cause=finished.cause,
        detail=stored(finished.detail, redactor),
        attempts=held.target_attempts,
        first_attempt_at=held.first_attempt_at,
        last_attempt_at=held.last_attempt_at,
        carried=item.carried,
        extra=_extra(item, redactor),
        **(_answered(held.reply, redactor) if held.reply is not None else {}),
        **_judged(finished),
    )


def score_rows(run_id: str, finished: Finished, redactor: Redactor) -> Iterator[Score]:
    """Rows that still lack the key of their result."""
    for score in finished.judgment.scores if finished.judgment else ():
        yield _score_row(run_id, score, redactor)


def carried_scores(run_id: str, own: Iterable[Score], beside: Iterable[Score]) -> Iterator[Score]:
    """Scores from elsewhere as rows of this run, but for those that it has computed itself."""
    taken = {_told_apart(score) for score in own}
    for score in beside:
        if _told_apart(score) not in taken:
            yield _of_run(score, run_id)


def held_json(held: Held, redactor: Redactor) -> dict[str, Any]:
    """What a record already has, as its chunk keeps it: answers and judges' texts redacted too."""
    kept: dict[str, Any] = stored_value(held.model_dump(mode="json"), redactor)
    return kept


def _answered(reply: Reply, redactor: Redactor) -> dict[str, Any]:
    """The fields of a result that its answer fills."""
    return {
        "response": stored(reply.text or "", redactor),
        "latency_ms": reply.latency_ms,
        "input_tokens": reply.usage.input_tokens,
        "output_tokens": reply.usage.output_tokens,
        "total_tokens": reply.usage.total_tokens,
        "cost": reply.cost,
    }


def _extra(item: Item, redactor: Redactor) -> dict[str, Any] | None:
    """Who answered and why the answer ended, and the turns; None where there is none of it."""
    told: dict[str, Any] = {}
    if (reply := item.held.reply) is not None:
        told = {MODEL: reply.model, "finish_reason": reply.finish_reason}
    if turns := kept_turns(item):
        told["turns"] = stored_value(turns, redactor)
    return told or None


def _judged(finished: Finished) -> dict[str, Any]:
    """The fields of a result that its judgment fills."""
    judgment = finished.judgment
    if judgment is None or finished.status != "completed":
        return {}
    return {
        "verdict": judgment.outcome,
        "score": judgment.score,
        "process_score": judgment.process_score,
        "outcome_score": judgment.outcome_score,
    }


def _score_row(run_id: str, score: GivenScore, redactor: Redactor) -> Score:
    raw = raw_of(score)
    return Score(
        run_id=run_id,
        rule=score.rule,
        judge=score.judge,
        value=score.value,
        verdict=score.verdict,
        method=score.method,
        verifier=score.verifier,
        source=score.source,
        reason=stored(score.reason, redactor),
        raw=stored_value(raw, redactor) if raw else None,
    )


def _told_apart(score: Score) -> tuple[str, ...]:
    return score.rule, score.judge, score.method, score.verifier


def _of_run(score: Score, run_id: str) -> Score:
    names = ("rule", "judge", "value", "verdict", "method", "verifier", "source", "reason", "raw")
    return Score(run_id=run_id, **{name: getattr(score, name) for name in names})


def raw_of(score: GivenScore) -> dict[str, Any]:
    """What a score was made of, with its checks and what it rests on, where it has any."""
    checks = [check.model_dump(exclude_defaults=True) for check in score.checks]
    told = {"assertions": checks, "evidence": list(score.evidence)}
    return {**(score.raw or {}), **{key: value for key, value in told.items() if value}}


def stored(text: str, redactor: Redactor) -> str:
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", redactor.text(text)) if text else ""


def stored_value(value: Any, redactor: Redactor) -> Any:
    return _storable(redactor.value(value))


def _storable(value: Any) -> Any:
    """The JSON value with every text and key as any database can keep it."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, dict):
        return {_storable(key): _storable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(each) for each in value]
    return value
