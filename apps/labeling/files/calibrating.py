"""Every judge of a file of scores against the labels of another."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from apps.contract import Contract
from apps.metrics.calibration import calibrate
from apps.metrics.consensus import settle
from apps.metrics.labels import Calibration, Sample

from .rows import Row

PASS, FAIL = "true", "false"
IN_WORDS = {
    "tie": "people are tied",
    "too_few": "everybody discarded it",
    "not_binary": "its labels are not true or false",
    "chunks": "its labels are of single chunks",
}


class Judge(Contract):
    """Who gave scores: a task's (metric family's) method, and the rule and verifier if named."""

    task: str
    method: str
    rule: str = ""
    verifier: str = ""

    def __str__(self) -> str:
        return " · ".join(filter(None, (self.task, self.method, self.rule, self.verifier)))


class JudgeCalibration(Contract):
    judge: Judge
    threshold: float
    calibration: Calibration


class _Said(Contract):
    """What people say of a pair: true, false, or None and why."""

    verdict: bool | None
    why: str = ""


def calibrations_of(
    labels: Iterable[Row],
    scores: Iterable[Row],
    *,
    threshold: float,
    sample: Sample,
    seed: int = 0,
) -> tuple[JudgeCalibration, ...]:
    """A judge passes what it scores at the threshold or above; people pass what most of them do.

    Labels count for the judges whose metric family is their task or criterion.
    """
    said = _said(labels)
    return tuple(
        JudgeCalibration(
            judge=judge,
            threshold=threshold,
            calibration=calibrate(
                _units(said.get(judge.task, {}), given, threshold), sample=sample, seed=seed
            ),
        )
        for judge, given in sorted(_by_judge(scores).items(), key=lambda each: str(each[0]))
    )


def _by_judge(scores: Iterable[Row]) -> dict[Judge, dict[str, Row]]:
    found: dict[Judge, dict[str, Row]] = {}
    for row in scores:
        judge = Judge(
            task=row["metric_family"],
            method=row["method"],
            rule=row.get("rule", ""),
            verifier=row.get("verifier", ""),
        )
        found.setdefault(judge, {})[row["id"]] = row
    return found


def _said(labels: Iterable[Row]) -> dict[str, dict[str, _Said]]:
    """By task or criterion, then by pair."""
    rows: dict[str, dict[str, list[Row]]] = {}
    for row in labels:
        task = row.get("criterion") or row["task_type"]
        rows.setdefault(task, {}).setdefault(row["id"], []).append(row)
    return {
        task: {pair: _of_pair(given) for pair, given in pairs.items()}
        for task, pairs in rows.items()
    }


def _of_pair(rows: Sequence[Row]) -> _Said:
    whole = [row for row in rows if not row.get("chunk_id")]
    if not whole:
        return _Said(verdict=None, why=IN_WORDS["chunks"])
    given = [row["label"] for row in whole if row["label"] is not None]
    if not all(isinstance(label, bool) for label in given):
        return _Said(verdict=None, why=IN_WORDS["not_binary"])
    settled = settle([PASS if label else FAIL for label in given], "majority")
    if settled.label is None:
        return _Said(verdict=None, why=IN_WORDS[settled.reason])
    return _Said(verdict=settled.label == PASS)


def _units(
    said: Mapping[str, _Said], scores: Mapping[str, Row], threshold: float
) -> dict[str, list[Any]]:
    """Every pair that is labelled or scored."""
    pairs = list(dict.fromkeys([*scores, *said]))
    values = [scores[pair]["score"] if pair in scores else None for pair in pairs]
    human = [said.get(pair, _Said(verdict=None)) for pair in pairs]
    return {
        "judge": [None if value is None else value >= threshold for value in values],
        "judge_why": [scores.get(pair, {}).get("reason", "") for pair in pairs],
        "human": [each.verdict for each in human],
        "human_why": [each.why for each in human],
    }
