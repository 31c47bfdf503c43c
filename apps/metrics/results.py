"""The results of a run as arrays: what each one is, and which record it belongs to."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from apps.metrics.arrays import Booleans, Floats, Integers, finite, ratio

Frame = pd.DataFrame | Mapping[str, npt.ArrayLike]

COLUMNS = (
    "ordinal", "trial", "status", "outcome", "score", "latency_ms",
    "input_tokens", "output_tokens", "total_tokens", "cost", "group",
)  # fmt: skip
STATUSES = ("completed", "timeout", "evaluation_error", "cancelled")
OUTCOMES = ("passed", "failed", "unjudged", "")


@dataclass(frozen=True)
class Results:
    """One entry per result (record × trial); `ordinals` and `clusters` have one per record.

    `record` numbers the records from 0, by ordinal. `clusters` numbers what is drawn together:
    the group, or the record itself where it has none.
    """

    ordinals: Integers
    record: Integers
    clusters: Integers
    trial: Integers
    evaluated: Booleans
    skipped: Booleans
    passed: Booleans
    failed_contract: Booleans
    columns: Mapping[str, Floats]

    @property
    def failed(self) -> Booleans:
        return ~self.evaluated & ~self.skipped

    @property
    def unjudged(self) -> Booleans:
        return self.evaluated & ~self.passed & ~self.failed_contract

    @property
    def clustered(self) -> bool:
        """Some results are not independent: several trials of a record, or groups of records."""
        return np.unique(self.clusters).size < self.record.size

    def tally(self, marked: Booleans) -> Floats:
        """How many marked results each record has."""
        return _tallied(self.record, marked, len(self.ordinals))

    def sum(self, values: Floats) -> Floats:
        """Per record, over its trials; what is not known adds nothing."""
        return _summed(self.record, np.nan_to_num(values), len(self.ordinals))

    def average(self, values: Floats) -> Floats:
        """Per record, over its trials; NaN where none is known."""
        return _averaged(self.record, values, len(self.ordinals))


def read_results(frame: Frame) -> Results:
    """A frame with the columns of COLUMNS, in any order of rows; unknown words are refused."""
    # Sorted, because sums of floats must come out the same to the last bit in any order of rows.
    table = _table(frame, COLUMNS).sort_values(["ordinal", "trial"], ignore_index=True)
    ordinals, first, record = np.unique(
        table["ordinal"].to_numpy(dtype=np.int64), return_index=True, return_inverse=True
    )
    status = _one_of(table["status"], STATUSES)
    evaluated = status == "completed"
    outcome = _one_of(table["outcome"].where(evaluated, ""), OUTCOMES)
    return Results(
        ordinals=ordinals,
        record=record.astype(np.int64),
        clusters=_clusters(table["group"].iloc[first]),
        trial=table["trial"].to_numpy(dtype=np.int64),
        evaluated=evaluated,
        skipped=status == "cancelled",
        passed=outcome == "passed",
        failed_contract=outcome == "failed",
        columns={name: _floats(table[name]) for name in COLUMNS[4:10]},
    )


@dataclass(frozen=True)
class RuleScores:
    """The scores of one rule on evaluated results; `record` as in Results."""

    rule: str
    record: Integers
    records: int
    value: Floats
    passed: Booleans
    judged: Booleans

    def tally(self, marked: Booleans) -> Floats:
        """How many marked scores each record has."""
        return _tallied(self.record, marked, self.records)

    def average(self) -> Floats:
        """Per record, over its trials and judges; NaN where there is no score."""
        return _averaged(self.record, self.value, self.records)


def read_scores(frame: Frame, results: Results) -> list[RuleScores]:
    """Scores by rule, in the order of their names; those of results not evaluated are left out."""
    table = _table(frame, ("ordinal", "trial", "rule", "value", "verdict"))
    row, value = _rows(table, results), _floats(table["value"])
    kept = np.lexsort((value, row))
    kept = kept[row[kept] >= 0]
    kept = kept[results.evaluated[row[kept]]]
    record, value = results.record[row[kept]], value[kept]
    verdict = _one_of(table["verdict"], ("pass", "warn", "fail", "error", "skip", ""))[kept]
    rule, names = pd.factorize(table["rule"].to_numpy(dtype=object)[kept], sort=True)
    passed, judged = verdict == "pass", np.isin(verdict, ("pass", "warn", "fail"))
    return [
        RuleScores(
            str(name), record[own], len(results.ordinals), value[own], passed[own], judged[own]
        )
        for name, own in ((name, rule == code) for code, name in enumerate(names))
    ]


def _summed(record: Integers, values: Floats, records: int) -> Floats:
    return np.asarray(np.bincount(record, weights=values, minlength=records), dtype=np.float64)


def _tallied(record: Integers, marked: Booleans, records: int) -> Floats:
    return _summed(record, marked.astype(np.float64), records)


def _averaged(record: Integers, values: Floats, records: int) -> Floats:
    sums = _summed(record, np.nan_to_num(values), records)
    return ratio(sums, _tallied(record, ~np.isnan(values), records))


def _table(frame: Frame, columns: tuple[str, ...]) -> pd.DataFrame:
    table = pd.DataFrame(frame).reset_index(drop=True)
    missing = [name for name in columns if name not in table]
    if missing:
        raise ValueError(f"the frame lacks the columns {', '.join(missing)}")
    return table


def _floats(column: pd.Series) -> Floats:
    return finite(column.to_numpy(dtype=np.float64, na_value=np.nan))


def _one_of(column: pd.Series, words: tuple[str, ...]) -> npt.NDArray[np.object_]:
    codes, names = pd.factorize(column.to_numpy(dtype=object))
    strange = [str(name) for name in names if name not in words]
    if strange or (codes < 0).any():
        raise ValueError(
            f"{column.name} may be {', '.join(map(repr, words))}, not {', '.join(strange) or None}"
        )
    return np.asarray(names, dtype=object)[codes]


def _clusters(groups: pd.Series) -> Integers:
    names = groups.fillna("").to_numpy(dtype=object)
    alone = names == ""
    codes, known = pd.factorize(names, sort=True)
    codes[alone] = len(known) + np.arange(alone.sum())
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def _rows(scores: pd.DataFrame, results: Results) -> Integers:
    """The result of each score, or -1."""
    keys = pd.MultiIndex.from_arrays([results.ordinals[results.record], results.trial])
    wanted = pd.MultiIndex.from_arrays([scores["ordinal"], scores["trial"]])
    return np.asarray(keys.get_indexer(wanted), dtype=np.int64)
