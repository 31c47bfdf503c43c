"""Results of a run by filter: what the table, its slide-over and the exports read."""

from typing import Annotated, Any

from django.db.models import Q, QuerySet
from pydantic import AfterValidator, ConfigDict

from apps.contract import Contract
from apps.datasets.models import FacetMember, Record
from apps.runs.models import Result, ResultStatus, Run, Score

from .labels import labelled
from .trials import flaky_ordinals

OUTCOMES: dict[str, Q] = {
    "passed": Q(status=ResultStatus.COMPLETED, verdict="passed"),
    "failed_contract": Q(status=ResultStatus.COMPLETED, verdict="failed"),
    "unjudged": Q(status=ResultStatus.COMPLETED) & ~Q(verdict__in=["passed", "failed"]),
    "failed": Q(status__in=[ResultStatus.TIMEOUT, ResultStatus.EVALUATION_ERROR]),
    "skipped": Q(status=ResultStatus.CANCELLED),
}
"""The parts of the denominators."""

OUTCOME_LABELS = {
    "passed": "Passed",
    "failed_contract": "Failed the contract",
    "unjudged": "Not judged",
    "failed": "Failed",
    "skipped": "Skipped",
}


LONGEST = 400
MISSED = "missed"
"""Below its threshold, whether the rule is blocking or warns."""


def _askable(text: str) -> str:
    """PostgreSQL takes no NUL, SQLite no very long pattern."""
    return text.replace("\0", "")[:LONGEST]


Given = Annotated[str, AfterValidator(_askable)]


class ResultFilter(Contract):
    """Empty means any; `rule` is `name:verdict`, `family` and `value` name a slice.

    `flaky` with anything in it: only records that passed in some trials and failed in others.
    `label` is the primary failure that somebody named, or "none": failures that nobody named.
    """

    model_config = ConfigDict(extra="ignore")

    outcome: Given = ""
    status: Given = ""
    cause: Given = ""
    verdict: Given = ""
    rule: Given = ""
    family: Given = ""
    value: Given = ""
    flaky: Given = ""
    label: Given = ""
    q: Given = ""

    @property
    def given(self) -> dict[str, str]:
        return {name: value for name, value in self.model_dump().items() if value}


def results_of(run: Run, wanted: ResultFilter) -> QuerySet[Result]:
    """The results that pass the filter, by ordinal; their records come without the payload."""
    found = Result.objects.filter(run=run)
    if wanted.outcome:
        found = found.filter(OUTCOMES.get(wanted.outcome, Q(pk=None)))
    plain = {"status": wanted.status, "cause": wanted.cause, "verdict": wanted.verdict}
    found = found.filter(**{name: value for name, value in plain.items() if value})
    if wanted.rule:
        found = found.filter(pk__in=_with_score(run, wanted.rule))
    if wanted.family:
        found = found.filter(ordinal__in=_in_slice(run, wanted.family, wanted.value))
    if wanted.flaky:
        found = found.filter(ordinal__in=flaky_ordinals(run))
    if wanted.label:
        found = labelled(found, wanted.label)
    if wanted.q:
        found = found.filter(ordinal__in=_named_like(run, wanted.q))
    return found.order_by("ordinal", "trial")


def with_records(found: QuerySet[Result]) -> QuerySet[Result]:
    return found.select_related("record").defer("record__payload")


def neighbours(
    found: QuerySet[Result], ordinal: int, trial: int
) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """(ordinal, trial) of the results before and after this place; two queries."""
    keys = found.values_list("ordinal", "trial")
    before = keys.filter(Q(ordinal__lt=ordinal) | Q(ordinal=ordinal, trial__lt=trial))
    after = keys.filter(Q(ordinal__gt=ordinal) | Q(ordinal=ordinal, trial__gt=trial))
    return before.order_by("-ordinal", "-trial").first(), after.first()


def rule_names(run: Run) -> list[str]:
    """The rules of the run's contract in their order; no query where the contract was fetched."""
    version = run.contract_version
    return [] if version is None else [rule.name for rule in version.parsed.rules]


def _with_score(run: Run, rule: str) -> QuerySet[Score, Any]:
    name, _, verdict = rule.rpartition(":")
    verdicts = ["fail", "warn"] if verdict == MISSED else [verdict]
    return Score.objects.filter(run=run, rule=name, verdict__in=verdicts).values("result")


def _in_slice(run: Run, family: str, value: str) -> QuerySet[FacetMember, Any]:
    members = FacetMember.objects.filter(
        facet__version=run.dataset_version_id, facet__family=family, facet__value=value
    )
    return members.values("ordinal")


def _named_like(run: Run, text: str) -> QuerySet[Record, Any]:
    named = Record.objects.filter(version=run.dataset_version_id, record_id__icontains=text)
    return named.values("ordinal")  # by ordinal: an index of the results has it, the record not
