"""The results that a filter leaves, as rows for a spreadsheet or a program; never held whole."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import orjson
from django.db.models import QuerySet

from apps.artifacts import lines
from apps.datasets import prompting
from apps.datasets.models import Record
from apps.datasets.sight import Sight
from apps.runs.models import FailureLabel, Result, Run, Score
from apps.runs.walking import batches

Row = dict[str, Any]

BATCH = 500
COLUMNS = (
    *("record_id", "index", "trial", "status", "cause", "detail", "verdict", "score"),
    *("process_score", "outcome_score", "failure", "failure_attribution"),
    *("prompt", "response", "reference", "model", "latency_ms"),
    *("input_tokens", "output_tokens", "total_tokens", "cost", "attempts", "carried"),
    *("first_attempt_at", "last_attempt_at"),
)
_PLAIN = (
    *("trial", "status", "cause", "detail", "score", "process_score", "outcome_score"),
    *("latency_ms", "attempts", "carried"),
    *("input_tokens", "output_tokens", "total_tokens", "cost"),
)
UNLABELLED: Row = {"failure": None, "failure_secondary": [], "failure_attribution": None}
_OF_SCORE = ("value", "verdict", "reason")


def header(rules: list[str]) -> list[str]:
    """Value, verdict and reason of each rule are columns."""
    return [*COLUMNS, *(f"{rule}.{part}" for rule in rules for part in _OF_SCORE)]


def table(run: Run, found: QuerySet[Result], rules: list[str]) -> Iterator[list[Any]]:
    for row in rows(run, found):
        by_rule = {score["rule"]: score for score in row["scores"]}
        scores = [by_rule.get(rule, {}).get(part) for rule in rules for part in _OF_SCORE]
        yield [*(row[column] for column in COLUMNS), *scores]


def json_lines(run: Run, found: QuerySet[Result]) -> Iterator[bytes]:
    for row in rows(run, found):
        yield lines.json_line(row)


def rows(run: Run, found: QuerySet[Result]) -> Iterator[Row]:
    """Everything of each result, its scores, what people named; four queries for every 500."""
    sight = Sight(run.workspace)
    for batch in batches(found.iterator(chunk_size=BATCH)):
        scores: dict[int, list[Row]] = {result.pk: [] for result in batch}
        for score in Score.objects.filter(result__in=list(scores)).order_by("pk"):
            scores[score.result_id].append(_score(score))
        records = Record.objects.in_bulk([result.record_id for result in batch])
        labels = _labels(scores)
        for result in batch:
            row = _row(result, records[result.record_id], sight)
            yield {**row, **labels.get(result.pk, UNLABELLED), "scores": scores[result.pk]}


def _labels(results: Iterable[int]) -> dict[int, Row]:
    """What people say went wrong, by result: the label in force."""
    found = FailureLabel.objects.filter(result__in=list(results), is_current=True)
    return {
        label.result_id: {
            "failure": label.primary,
            "failure_secondary": label.secondary,
            "failure_attribution": label.attribution or None,
        }
        for label in found
    }


def _row(result: Result, record: Record, sight: Sight) -> Row:
    payload, extra = sight.value(orjson.loads(record.payload)), result.extra or {}
    return {
        "record_id": record.record_id,
        "index": result.ordinal,
        "record_sha256": record.sha256,
        "prompt": prompting.messages(payload)[-1].content,
        "response": result.response or None,
        "reference": prompting.reference_of(payload),
        "verdict": result.verdict or None,
        "model": extra.get("model", ""),
        **({"turns": extra["turns"]} if extra.get("turns") else {}),
        "first_attempt_at": _moment(result.first_attempt_at),
        "last_attempt_at": _moment(result.last_attempt_at),
        **{name: getattr(result, name) for name in _PLAIN},
    }


def _score(score: Score) -> Row:
    fields = ("rule", "judge", "value", "verdict", "reason", "method", "verifier", "source")
    return {field: getattr(score, field) for field in fields}


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
