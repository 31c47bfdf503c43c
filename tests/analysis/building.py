"""Labels and scores of the same answers, brought by the importers that people use."""

import time
from collections.abc import Callable, Sequence

from apps.accounts.models import Workspace
from apps.analysis.calibration.lines import Line, lines_of
from apps.analysis.models import Calibration, CalibrationStep
from apps.jobs import services as jobs
from apps.jobs.models import JobState
from apps.labeling.models import Campaign, CampaignStep
from tests.datasets.pairs import (
    LABEL_COLUMNS,
    SCORE_COLUMNS,
    Row,
    a_pair,
    csv_of,
    pairs_csv,
    pairs_version,
    uploaded,
)

AT = "2026-01-15T10:05:12Z"


def held(
    workspace: Workspace,
    human: Sequence[bool | None],
    judge: Sequence[float | None],
    *,
    family: str = "grounding",
    task: str = "grounding",
) -> Campaign:
    """A campaign of imported labels about pairs whose judge gave these scores, computed."""
    count = max(len(human), len(judge))
    pairs_version(workspace, pairs_csv(*(a_pair(number) for number in range(count))))
    labels: list[Row] = [
        {"id": f"p{n}", "task_type": task, "label": said, "annotator_id": "a", "annotated_at": AT}
        for n, said in enumerate(human)
        if said is not None
    ]
    uploaded(workspace, csv_of(LABEL_COLUMNS, labels), "labels.csv")
    if judge:
        brought_scores(workspace, judge, family=family)
    return computed(Campaign.objects.get())


def brought_scores(
    workspace: Workspace, judge: Sequence[float | None], *, family: str = "grounding"
) -> None:
    """What a judge elsewhere said of the pairs."""
    scores: list[Row] = [
        {"id": f"p{n}", "metric_family": family, "score": value, "method": "model_based"}
        for n, value in enumerate(judge)
        if value is not None
    ]
    uploaded(workspace, csv_of(SCORE_COLUMNS, scores), "scores.csv")


def computed(campaign: Campaign) -> Campaign:
    """Analysed, and its judges held against what people said."""
    CampaignStep.objects.get_or_create(campaign=campaign, name=CampaignStep.Name.ANALYSE)

    def done() -> bool:
        steps = CalibrationStep.objects.filter(campaign=campaign, state=JobState.DONE)
        analysed = CampaignStep.objects.get(campaign=campaign, name=CampaignStep.Name.ANALYSE)
        return steps.exists() and analysed.state == JobState.DONE

    jobs.work_here(done)
    return campaign


def computed_again(done: Callable[[], bool], seconds: float = 60) -> None:
    """By what workers notice themselves."""
    deadline = time.monotonic() + seconds

    def ended() -> bool:
        assert time.monotonic() < deadline, "nobody has noticed"
        return done()

    jobs.work_here(ended)


def the_line(campaign: Campaign) -> Line:
    """The one whose judge and question ask the same."""
    [line] = [each for each in lines_of(campaign) if each.row.matched]
    return line


def matched() -> Calibration:
    return Calibration.objects.get(matched=True)
