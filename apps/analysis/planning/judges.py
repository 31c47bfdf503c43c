"""What the next labels of a run's judges would buy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from apps.accounts.models import User
from apps.analysis.calibration.grounds import grounds_of
from apps.analysis.calibration.judges import judges_of
from apps.analysis.models import Calibration
from apps.labeling.models import Campaign
from apps.metrics.contracts import Interval
from apps.metrics.labels import Calibration as Numbers
from apps.metrics.planned import Bought, LabelsPlan
from apps.metrics.planning import next_labels, unlabelled
from apps.runs.later.calibrated import VERDICT
from apps.runs.models import Run, Score
from apps.runs.queries import Figures
from apps.runs.recorded.imported import NO_VERDICT, given_in

NOT_KNOWN = "from which score on it passes is not known"


@dataclass(frozen=True)
class Rate:
    """Half widths in points, now and then."""

    name: str
    now: float | None
    then: float | None
    reason: str


@dataclass(frozen=True)
class Judge:
    """A judge of the run, with the campaign whose people it was held against, if any."""

    name: str
    question: str
    campaign: str
    checked: int
    beyond_chance: bool
    plan: LabelsPlan

    @property
    def rates(self) -> Sequence[Rate]:
        plan = self.plan
        return (
            _rate("Corrected pass rate", plan.corrected),
            _rate("They agree", plan.agreement),
            _rate("Passes what people pass", plan.sensitivity),
            _rate("Fails what people fail", plan.specificity),
        )


def judges_for(user: User, run: Run, figures: Figures) -> list[Judge]:
    """Those that people were held against first; three queries, one more for imported scores."""
    rows = list(_looked_at(user, run))
    known = [_known(row) for row in rows]
    held = {(row.rule, row.verifier) for row in rows}
    return [*known, *_unknown(run, figures, held)]


def _looked_at(user: User, run: Run) -> Iterator[Calibration]:
    campaigns = Campaign.objects.visible_to(user).filter(run=run, archived_at=None)
    rows = Calibration.objects.filter(matched=True, campaign__in=campaigns).exclude(body=None)
    return rows.exclude(rule="").select_related("question").order_by("-as_of").iterator()


def _known(row: Calibration) -> Judge:
    numbers = Numbers.model_validate(row.body)
    return Judge(
        name=row.name,
        question=str(row.question),
        campaign=row.campaign_id,
        checked=numbers.confusion.n,
        beyond_chance=numbers.beyond_chance,
        plan=next_labels(numbers),
    )


def _unknown(run: Run, figures: Figures, held: set[tuple[str, str]]) -> Iterator[Judge]:
    """Judges of the contract, of the data, then imported scores: those that no question was held
    against."""
    for rule, verifier in [*judges_of(run), *_of_the_data(run)]:
        if (rule, verifier) not in held:
            raw = figures.of(f"rule:{rule}:pass_rate")
            yield _uncalibrated(rule, raw, raw.n)
    imported = given_in(run) if run.kind in (Run.Kind.RECORDED, Run.Kind.REGRADE) else ()
    for given in imported:
        if (given.rule, given.verifier) not in held:
            yield _uncalibrated(given.label, _without_verdicts(), given.n)


def _of_the_data(run: Run) -> Iterator[tuple[str, str]]:
    """Rules that came with the data and asked a judge, by what they gave: no contract tells of
    them. Whether there may be any is known as where a run's pass rate is called uncalibrated."""
    resting = grounds_of([run], only=VERDICT)[run.pk].resting
    if resting.weighs and not resting.rules:
        given = Score.objects.filter(run=run, method="judge").exclude(verdict=NO_VERDICT)
        yield from given.order_by("rule").values_list("rule", "verifier").distinct()


def _uncalibrated(name: str, raw: Interval, judged: int) -> Judge:
    plan = next_labels(unlabelled(raw, judged))
    return Judge(name=name, question="", campaign="", checked=0, beyond_chance=False, plan=plan)


def _without_verdicts() -> Interval:
    return Interval(point=None, low=None, high=None, n=0, method="none", reason=NOT_KNOWN)


def _rate(name: str, bought: Bought) -> Rate:
    now, then = (None if each is None else 100 * each for each in (bought.now, bought.then))
    return Rate(name, now, then, bought.reason)
