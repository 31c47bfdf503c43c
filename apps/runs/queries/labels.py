"""What people said went wrong: the labels of a result, and how often each stands in a run."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from apps.grading.attribution import in_words
from apps.runs.models import Failure, FailureLabel, Result, ResultStatus, Run, Score
from apps.runs.proposing import Missed, Proposal, proposed

from .progress import FAILURES

UNLABELLED = "none"
"""In a filter: failures that nobody has named yet."""

FAILED = Q(status__in=FAILURES) | Q(status=ResultStatus.COMPLETED, verdict="failed")

TITLES = {
    "incorrect_answer": "Incorrect answer",
    "missing_required_content": "Missing required content",
    "unfaithful_to_context": "Unfaithful to the context",
    "hallucinated_fact": "Hallucinated fact",
    "format_or_schema_violation": "Format or schema violation",
    "tool_or_retrieval_misuse": "Tool or retrieval misuse",
    "timeout_or_latency_exceeded": "Timeout or latency exceeded",
    "other": "Other",
}


class Named(NamedTuple):
    """Failures in words for people: the primary one, and the further ones."""

    title: str
    further: list[str]


class ShownLabel(NamedTuple):
    label: FailureLabel
    words: Named

    @property
    def put_down_to(self) -> str:
        return in_words(self.label.attribution)


class Labels(NamedTuple):
    """The labels of one result, the newest first; `present` is None where none stands."""

    present: ShownLabel | None
    history: list[ShownLabel]
    proposal: Proposal | None
    proposed: Named | None


@dataclass(frozen=True)
class LabelCount:
    word: str
    title: str
    count: int


def labels_of(result: Result, scores: Iterable[Score]) -> Labels:
    """One query; the proposal is made of the scores that were fetched already."""
    rows = result.failure_labels.select_related("by").order_by("-seq")
    history = [ShownLabel(label, named(label.primary, label.secondary)) for label in rows]
    present = next((each for each in history if each.label.is_current), None)
    proposal = proposal_of(result, scores)
    words = named(proposal.primary, proposal.secondary) if proposal else None
    return Labels(present, history, proposal, words)


def named(primary: str, secondary: Iterable[str]) -> Named:
    return Named(TITLES.get(primary, primary), [TITLES.get(word, word) for word in secondary])


def proposal_of(result: Result, scores: Iterable[Score]) -> Proposal | None:
    """None for an answer that passed, and for what nobody asked."""
    if result.status == ResultStatus.CANCELLED:
        return None
    return proposed(result.status, result.cause, [*_missed(scores)])


def label_counts(run: Run) -> list[LabelCount]:
    """How many results each failure is the primary one of, in the taxonomy's order; one query."""
    standing = FailureLabel.objects.filter(result__run=run, is_current=True)
    found = dict(standing.values_list("primary").annotate(count=Count("pk")).order_by())
    return [LabelCount(word, TITLES[word], found[word]) for word in Failure.values if word in found]


def labelled(found: QuerySet[Result], word: str) -> QuerySet[Result]:
    """The results that this failure stands for, or the failed ones without any."""
    standing = FailureLabel.objects.filter(result=OuterRef("pk"), is_current=True)
    if word == UNLABELLED:
        return found.filter(FAILED).exclude(Exists(standing))
    return found.filter(Exists(standing.filter(primary=word)))


def _missed(scores: Iterable[Score]) -> Iterable[Missed]:
    for score in scores:
        if score.verdict == "fail":
            raw = score.raw if isinstance(score.raw, dict) else {}
            unreadable = raw.get("parse_error") is True
            yield Missed(score.rule, score.verifier.split("@")[0], unreadable)
