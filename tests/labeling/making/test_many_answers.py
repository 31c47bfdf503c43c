"""Runs and datasets with more answers than are looked at one by one."""

import pytest
from django.core.exceptions import ValidationError

from apps.accounts.models import User, Workspace
from apps.labeling.making.estimating import estimate
from apps.labeling.models import Campaign
from apps.labeling.plans import Plan, Sample
from tests.datasets.pairs import a_pair, pairs_csv, pairs_version
from tests.labeling.building import a_campaign, a_run

MANY = 10_001


def test_a_campaign_over_many_answers_with_nothing_to_ask_is_refused(
    workspace: Workspace, alice: User
) -> None:
    run = a_run(workspace, alice, pairs=MANY)

    with pytest.raises(ValidationError, match="The campaign would have no items"):
        a_campaign(workspace, alice, run=run, tasks=["rubric"], prepared=False)

    assert not Campaign.objects.exists()


def test_answers_of_a_dataset_are_counted_by_records_from_all_over_it(
    workspace: Workspace,
) -> None:
    without = {"context": []}
    pairs = (a_pair(number, **(without if number < 300 else {})) for number in range(600))
    version = pairs_version(workspace, pairs_csv(*pairs))

    every = estimate(version, Plan(tasks=("grounding",)), 1, workspace)
    some = estimate(
        version, Plan(tasks=("grounding",), sample=Sample(how="random", size=50)), 1, workspace
    )

    assert (every.drawn.answers, every.tasks[0].items, every.exact) == (600, 300, False)
    assert (some.drawn.drawn, some.tasks[0].items, some.exact) == (50, 25, False)


@pytest.mark.parametrize("without", [0, 1])
def test_what_every_other_record_lacks_is_neither_all_nor_nothing(
    workspace: Workspace, without: int
) -> None:
    lacking: dict[str, list[str]] = {"context": []}
    pairs = (a_pair(number, **(lacking if number % 2 == without else {})) for number in range(400))
    version = pairs_version(workspace, pairs_csv(*pairs))

    first, second = (estimate(version, Plan(tasks=("grounding",)), 1, workspace) for _ in range(2))

    assert 150 < first.tasks[0].items < 250
    assert first == second
