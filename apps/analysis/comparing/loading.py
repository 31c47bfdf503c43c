"""What a run found out about each of its records, as columns."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

import numpy as np
from django.db.models import Case, Value, When
from django.db.models.functions import Concat

from apps.datasets.models import Record
from apps.runs.contracts import Plan
from apps.runs.ending.summaries import MOST_RULES
from apps.runs.models import Result, Run, Score
from apps.runs.recorded.imported import NO_VERDICT, label_of

from .columns import (
    NONE,
    Booleans,
    Column,
    Floats,
    Integers,
    Row,
    batches,
    floats,
    integers,
    joined,
    numbers,
    positions,
    ratio,
)

AMOUNTS = {
    "latency_ms": "latency_mean",
    "total_tokens": "total_tokens_mean",
    "input_tokens": "input_tokens_mean",
    "output_tokens": "output_tokens_mean",
    "cost": "cost_mean",
}
"""The columns of results less of which is better, and the metrics they make."""

OF_RESULTS = ("pass_rate", "score_mean", *AMOUNTS.values())

_EVALUATED, _FAILED, _SKIPPED = 1, 2, 0
_STATUS = Case(
    When(status="completed", then=_EVALUATED),
    When(status__in=["timeout", "evaluation_error"], then=_FAILED),
    When(status="cancelled", then=_SKIPPED),
)
_PASSED = Case(When(verdict="passed", then=1), When(verdict="failed", then=0))
_RESULT: tuple[str | Case, ...] = ("pk", "ordinal", _STATUS, _PASSED, "score", *AMOUNTS)
_BETWEEN = "\x1f"
_GIVEN = Concat("rule", Value(_BETWEEN), "method", Value(_BETWEEN), "verifier")
_NAME = Case(When(verdict=NO_VERDICT, then=_GIVEN), default="rule")
"""One text a score, where three cost a quarter of all reading."""
_SCORE: tuple[str | Case, ...] = ("result_id", "value", _NAME, "verdict")
_VERDICTS = {"pass": 1.0, "warn": 0.0, "fail": 0.0}


@dataclass(frozen=True)
class Values:
    """One metric of a run: a value per record, NaN where there is none.

    `is_binary`: no record has more than one value, and each is 0 or 1.
    """

    means: Floats
    is_binary: bool

    @property
    def is_empty(self) -> bool:
        return bool(np.isnan(self.means).all())


@dataclass(frozen=True)
class Side:
    """One run, an entry per valid record that it was to ask, in the order of ordinals.

    `evaluated` and `failed` count a record's tries; values are means over those evaluated.
    `rules` are those with the most scores, the most first.
    """

    ordinals: Integers
    evaluated: Floats
    failed: Floats
    metrics: Mapping[str, Values]
    rules: tuple[str, ...]

    @property
    def broken(self) -> Booleans:
        """Records of which each try failed that was made."""
        broken: Booleans = (self.evaluated == 0) & (self.failed > 0)
        return broken

    def with_errors(self, means: Floats) -> Floats:
        """Means over every try that was made, those that failed with 0."""
        tries = self.evaluated + self.failed
        known = np.where(self.evaluated > 0, means * self.evaluated, 0.0)
        return ratio(known, tries)


@dataclass(frozen=True)
class _Observed:
    """One entry per result or score, of the record at that position."""

    record: Integers
    records: int

    def tally(self, marked: Booleans) -> Floats:
        return np.bincount(self.record[marked], minlength=self.records).astype(np.float64)

    def values(self, observed: Floats) -> Values:
        known = ~np.isnan(observed)
        counts = self.tally(known)
        sums = np.bincount(self.record[known], observed[known], minlength=self.records)
        means = ratio(sums.astype(np.float64), counts)
        only = np.isin(observed[known], (0.0, 1.0)).all() and counts.max(initial=0) <= 1
        return Values(means, bool(only))


def side_of(run: Run) -> Side:
    """All of a run that a comparison needs: three queries, whatever its size."""
    ordinals = planned_ordinals(run)
    pk, ordinal, status, *columns = _results(run)
    pk, ordinal = pk.astype(np.int64), ordinal.astype(np.int64)
    results = _Observed(np.searchsorted(ordinals, ordinal), len(ordinals))
    evaluated = status == _EVALUATED
    metrics = {
        name: results.values(np.where(evaluated, column, NONE))
        for name, column in zip(OF_RESULTS, columns, strict=True)
    }
    rules = dict(_rules(run, pk[evaluated], results.record[evaluated], len(ordinals)))
    for found in rules.values():
        metrics |= found
    return Side(
        ordinals=ordinals,
        evaluated=results.tally(evaluated),
        failed=results.tally(status == _FAILED),
        metrics=metrics,
        rules=tuple(rules),
    )


def planned_ordinals(run: Run) -> Integers:
    """The valid records that it was to ask: the first ones where it is a pilot."""
    rows = Record.objects.filter(version=run.dataset_version_id).order_by("ordinal")
    found = ([integers(batch, 0)] for batch in batches(rows.values_list("ordinal")))
    [ordinals] = joined(found, 1)
    pilot = Plan.model_validate(run.plan).settings.pilot
    return ordinals[:pilot].astype(np.int64)


def rule_metrics(rule: str) -> tuple[str, str]:
    return f"rule:{rule}:pass_rate", f"rule:{rule}:mean"


def _results(run: Run) -> list[Column]:
    """The columns of `_RESULT`, by key."""
    rows = Result.objects.filter(run=run).order_by("pk").values_list(*_RESULT)
    return joined((list(numbers(batch)) for batch in batches(rows)), len(_RESULT))


def _rules(
    run: Run, results: Integers, record: Integers, records: int
) -> Iterator[tuple[str, Mapping[str, Values]]]:
    """By rule, the most scores first; of evaluated results, given by their keys and records."""
    names, (rule, result, value, passed) = _scores(run)
    counts = np.bincount(rule, minlength=len(names)).tolist()
    known, places = positions(results, result)
    rule, value, passed = rule[known], value[known], passed[known]
    ranked = sorted(range(len(names)), key=lambda code: (-counts[code], names[code]))
    for code in ranked[:MOST_RULES]:
        own = rule == code
        scores = _Observed(record[places[own]], records)
        pass_rate, mean = rule_metrics(names[code])
        yield names[code], {pass_rate: scores.values(passed[own]), mean: scores.values(value[own])}


def _scores(run: Run) -> tuple[list[str], list[Column]]:
    """The names of the rules, and of each score the number of its name, its result, value and
    whether it passed: 1, 0, or NaN without a verdict."""
    keys: dict[Row, int] = defaultdict(count().__next__)
    rows = Score.objects.filter(run=run).order_by("pk").values_list(*_SCORE)
    parts = (
        [integers(batch, 0), floats(batch, 1), np.array([keys[row[2:]] for row in batch])]
        for batch in batches(rows)
    )
    result, value, key = joined(parts, 3)
    key = key.astype(np.int64)
    labels = [name if verdict else label_of(*name.rsplit(_BETWEEN, 2)) for name, verdict in keys]
    names = {name: number for number, name in enumerate(dict.fromkeys(labels))}
    passed = np.array([_VERDICTS.get(verdict, NONE) for _name, verdict in keys])
    numbers = np.array([names[label] for label in labels], dtype=np.int64)
    return list(names), [numbers[key], result, value, passed[key]]
