"""Scores that were given elsewhere: rows like any score, without a verdict of ours."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import orjson
from django.db.models import Count, QuerySet

from apps.artifacts.canonical import sha256_hex
from apps.artifacts.redaction import Redactor
from apps.datasets.formats.agentv.scores import result_scores
from apps.jobs.asking import begin_anew, by_a_worker
from apps.jobs.models import OPEN
from apps.runs.models import Result, Run, RunStep, Score
from apps.runs.working.rows import stored, stored_value
from apps.runs.working.upserts import SCORE_KEY, upsert

NO_VERDICT = ""
"""Nobody said from which score on an answer passes."""

BY_CODE = ("code", "reference_based")
"""Methods that ask no judge: counted, or taken from a reference."""

LONGEST_LABEL = 100
LONGEST_RULE, LONGEST_METHOD, LONGEST_VERIFIER = 80, 40, 120
RESULT = "result"


class Imported(NamedTuple):
    """One score about one result, as a file gave it; without a value `reason` says why."""

    result_id: int
    rule: str
    value: float | None
    method: str = ""
    verifier: str = ""
    judge: str = ""
    reason: str = ""
    raw: Any = None


class Counted(NamedTuple):
    """What an import changed."""

    new: int = 0
    changed: int = 0
    same: int = 0

    @property
    def told(self) -> str:
        parts = (f"{self.new:,} new", f"{self.changed:,} changed", f"{self.same:,} as before")
        return ", ".join(parts)


class Given(NamedTuple):
    """What tells the imported scores of a run apart, and how many there are."""

    rule: str
    method: str
    verifier: str
    n: int

    @property
    def label(self) -> str:
        return label_of(self.rule, self.method, self.verifier)

    @property
    def is_judged(self) -> bool:
        return self.method not in BY_CODE


def label_of(rule: str, method: str, verifier: str) -> str:
    """What the figures of a run call the scores of one rule, method and verifier."""
    whole = " · ".join(part for part in (rule, method, verifier) if part)
    if len(whole) <= LONGEST_LABEL:
        return whole
    return f"{whole[: LONGEST_LABEL - 14]}… {sha256_hex(whole.encode())[:12]}"


def given_in(run: Run) -> list[Given]:
    """One query; by rule, then method and verifier."""
    names = ("rule", "method", "verifier")
    counted = imported_scores(run).values(*names).annotate(n=Count("pk")).order_by(*names)
    return [Given(**row) for row in counted]


def judged_labels(runs: Iterable[Run], label: str) -> dict[str, set[str]]:
    """Which of the runs have scores of this label that a judge gave: by their id; one query."""
    parts = label.split(" · ")
    rules = [" · ".join(parts[:count]) for count in range(1, len(parts) + 1)]
    rows = Score.objects.filter(run__in=list(runs), verdict=NO_VERDICT).exclude(method__in=BY_CODE)
    if len(label) < LONGEST_LABEL:
        rows = rows.filter(rule__in=rules)
    names = ("run", "rule", "method", "verifier")
    found: dict[str, set[str]] = {}
    for run, *told in rows.values_list(*names).distinct():
        if label_of(*told) == label:
            found.setdefault(run, set()).add(label)
    return found


def imported_scores(run: Run) -> QuerySet[Score]:
    return Score.objects.filter(run=run, verdict=NO_VERDICT)


def write_scores(run: Run, scores: Iterable[Imported]) -> Counted:
    """Insert what is new and overwrite what changed; the caller's transaction holds the run."""
    given = list(scores)
    if not given:
        return Counted()
    Run.objects.filter(pk=run.pk).hold()
    standing = _standing(run)
    rows = list({_key(row): row for row in (_row(run, score) for score in given)}.values())
    new = [row for row in rows if _key(row) not in standing]
    changed = [row for row in rows if _content(row) != standing.get(_key(row), _content(row))]
    upsert([*new, *changed], key=SCORE_KEY)
    if new or changed:
        refresh_figures(run)
    return Counted(len(new), len(changed), len(rows) - len(new) - len(changed))


def refresh_figures(run: Run) -> None:
    """Have the run's numbers computed anew; whoever computes or seals them now does so in vain."""
    steps = RunStep.objects.filter(run=run)
    if not begin_anew(steps.filter(name=RunStep.Name.SUMMARISE)):
        RunStep.objects.create(run=run, name=RunStep.Name.SUMMARISE)
    begin_anew(steps.filter(name=RunStep.Name.FINALISE, state__in=OPEN))
    by_a_worker(RunStep)


def scores_of_results(run: Run, redactor: Redactor) -> Iterator[Imported]:
    """The scores that came with the records of kind result themselves."""
    found = Result.objects.filter(run=run, record__kind=RESULT)
    for pk, payload in found.values_list("pk", "record__payload"):
        for score in _scores_in(orjson.loads(payload)):
            yield score._replace(
                result_id=pk,
                reason=stored(score.reason, redactor),
                raw=stored_value(score.raw, redactor),
            )


def _scores_in(payload: dict[str, Any]) -> Iterator[Imported]:
    """The overall score of a result row, and one of each of its graders."""
    for score in result_scores(payload):
        yield Imported(
            result_id=0,
            rule=score.family[:LONGEST_RULE],
            value=score.value,
            method=score.method[:LONGEST_METHOD],
            verifier=score.verifier[:LONGEST_VERIFIER],
            reason=score.reason,
        )


def _standing(run: Run) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """What was imported before, by its key."""
    return {_key(row): _content(row) for row in imported_scores(run)}


def _row(run: Run, score: Imported) -> Score:
    return Score(run=run, verdict=NO_VERDICT, **score._asdict())


def _key(row: Score) -> tuple[Any, ...]:
    return row.result_id, row.rule, row.judge, row.method, row.verifier


def _content(row: Score) -> tuple[Any, ...]:
    return row.value, row.reason, row.raw
