"""Which runs are compared, and which of them the others are held against."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db.models import Case, Q, Value, When
from django.http import Http404

from apps.accounts.models import User, Workspace
from apps.analysis.models import Baseline
from apps.runs.models import TERMINAL, Run, RunTarget
from apps.runs.queries import runs

from .wanted import Wanted

LEAST, MOST = 2, 8
OFFERED = 20
LETTERS = "ABCDEFGH"


@dataclass(frozen=True)
class Side:
    """A run among those compared, by the letter that the page gives it; A is the baseline."""

    letter: str
    run: Run
    approved: bool = False

    @property
    def is_baseline(self) -> bool:
        return self.letter == LETTERS[0]


@dataclass(frozen=True)
class Chosen:
    """The baseline first, then the others by age; `candidate` is the one told in detail."""

    sides: Sequence[Side]
    candidate: Side

    @property
    def baseline(self) -> Side:
        return self.sides[0]

    @property
    def candidates(self) -> Sequence[Side]:
        return self.sides[1:]

    @property
    def runs(self) -> list[Run]:
        return [side.run for side in self.sides]


def named(user: User, workspace: Workspace, wanted: Wanted) -> list[Run]:
    """The runs that the address names, the oldest first; 404 where one is not to be seen."""
    keys = set(wanted.run)
    found = list(runs(user, workspace).filter(pk__in=keys).order_by("pk"))
    if len(found) < len(keys):
        raise Http404("One of these runs is not here, or you may not see it.")
    return found


def chosen(found: Sequence[Run], wanted: Wanted) -> Chosen:
    """Raises ValidationError with a sentence where these cannot be compared; one query."""
    _check(found, wanted)
    approved = set(_approved(found))
    baseline = _baseline(found, wanted, approved)
    rest = [run for run in found if run is not baseline]
    letters = zip(LETTERS, [baseline, *rest], strict=False)
    sides = [Side(letter, run, run.pk in approved) for letter, run in letters]
    return Chosen(sides, _candidate(sides[1:], wanted))


def completed(chosen: Chosen, wanted: Wanted) -> str:
    """The query with the baseline and the candidate in it; empty where it names the baseline."""
    if wanted.baseline:
        return ""
    both = {"baseline": chosen.baseline.run.pk, "candidate": chosen.candidate.run.pk}
    return wanted.query(**both, keep="")


def offered(user: User, workspace: Workspace, ticked: Sequence[Run], text: str) -> list[Run]:
    """Ended runs to choose from: those of the same data as the first one ticked, then the newest.

    One query; `text` is looked for in the name of the run, its dataset and its target.
    """
    ended = runs(user, workspace).active().filter(state__in=TERMINAL)
    ended = ended.exclude(pk__in=[run.pk for run in ticked])
    for word in text.split()[:5]:
        ended = ended.filter(_named_like(word))
    if not ticked:
        return list(ended.order_by("-pk")[:OFFERED])
    alike = When(dataset_version=ticked[0].dataset_version_id, then=Value(0))
    related = When(dataset_version__dataset=ticked[0].dataset_version.dataset_id, then=Value(1))
    near = ended.annotate(far=Case(alike, related, default=Value(2)))
    return list(near.order_by("far", "-pk")[:OFFERED])


def _check(found: Sequence[Run], wanted: Wanted) -> None:
    if len(wanted.run) > len(found):
        raise ValidationError("The address names a run twice. Choose each run once.")
    if not LEAST <= len(found) <= MOST:
        raise ValidationError(f"{len(found)} runs were chosen. Choose two to eight.")
    still = next((run for run in found if run.is_open), None)
    if still is not None:
        raise ValidationError(
            f"{still.title} has not ended: its numbers still move. Compare it when it has."
        )


def _approved(found: Sequence[Run]) -> list[str]:
    """Those that a policy in force compares with."""
    current = Baseline.objects.filter(run__in=found, is_current=True, policy__archived_at=None)
    return list(current.order_by("-pk").values_list("run", flat=True))


def _baseline(found: Sequence[Run], wanted: Wanted, approved: set[str]) -> Run:
    if wanted.baseline:
        return _one_of(found, wanted.baseline, "baseline")
    kept = (run for run in found if run.pk == wanted.keep)
    return next(kept, next((run for run in found if run.pk in approved), found[0]))


def _candidate(candidates: Sequence[Side], wanted: Wanted) -> Side:
    if not wanted.candidate:
        return candidates[0]
    run = _one_of([side.run for side in candidates], wanted.candidate, "candidate")
    return next(side for side in candidates if side.run is run)


def _one_of(found: Sequence[Run], key: str, what: str) -> Run:
    run = next((run for run in found if run.pk == key), None)
    if run is None:
        raise ValidationError(f"The {what} is none of the runs that are compared. Choose again.")
    return run


def _named_like(word: str) -> Q:
    asked = RunTarget.objects.filter(target_version__target__name__icontains=word)
    return (
        Q(name__icontains=word)
        | Q(pk=word)
        | Q(dataset_version__dataset__name__icontains=word)
        | Q(dataset_version__label__icontains=word)
        | Q(pk__in=asked.values("run"))
    )
