"""Comparisons over the API."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.analysis.comparing import IN_REQUEST
from apps.labeling.models import Assignment, Campaign
from apps.metrics.compared import PairedRuns
from apps.runs.models import Run
from tests import samples
from tests.runs import building

from .building import a_run, two_runs

Ask = Any


@pytest.fixture
def ask(client: Client, workspace: Workspace, alice: User) -> Ask:
    def asking(baseline: str, *runs: str, by: User = alice, within: Workspace = workspace) -> Any:
        named = {"baseline": baseline, "run": list(runs)}
        bearer = samples.bearer_of(by, within)
        return client.get("/api/v1/comparisons", named, headers=bearer)

    return asking


@pytest.fixture
def runs(workspace: Workspace) -> tuple[Run, Run]:
    return two_runs(workspace, "++--", "+-+-")


def labels_blind(run: Run, user: User) -> None:
    campaign = Campaign.objects.create(
        workspace=run.workspace,
        run=run,
        name="blind",
        blind=True,
        state=Campaign.State.OPEN,
        kind=Campaign.Kind.DESK,
    )
    Assignment.objects.create(campaign=campaign, user=user)


def said(answer: Any) -> str:
    return str(answer.json()["error"]["message"])


def test_runs_come_with_all_that_is_said_of_them(
    ask: Ask, workspace: Workspace, runs: tuple[Run, Run]
) -> None:
    third = a_run(workspace, "----", runs[0].dataset_version)

    answer = ask(runs[0].pk, runs[1].pk, third.pk, runs[1].pk)

    assert answer.status_code == 200
    found = answer.json()
    assert found["baseline"]["run_id"] == runs[0].pk
    assert [each["run"]["run_id"] for each in found["comparisons"]] == [runs[1].pk, third.pk]
    bodies = [PairedRuns.model_validate(each["body"]) for each in found["comparisons"]]
    assert [each.shared.shared for each in bodies] == [4, 4]


def test_what_is_large_is_accepted_and_comes_later(ask: Ask, runs: tuple[Run, Run]) -> None:
    Run.objects.update(planned=IN_REQUEST)

    answer = ask(runs[0].pk, runs[1].pk)

    [comparison] = answer.json()["comparisons"]
    assert (answer.status_code, comparison["body"]) == (202, None)
    assert comparison["state"] in ("pending", "sent")


def test_a_reviewer_may_look_unless_they_label_blind(
    ask: Ask, runs: tuple[Run, Run], bob: User
) -> None:
    before = ask(runs[0].pk, runs[1].pk, by=bob)
    labels_blind(runs[0], bob)

    hidden = [ask(runs[0].pk, runs[1].pk, by=bob), ask(runs[1].pk, runs[0].pk, by=bob)]

    assert before.status_code == 200
    assert [answer.status_code for answer in hidden] == [404, 404]


def test_strangers_find_no_runs(ask: Ask, runs: tuple[Run, Run], charlie: User) -> None:
    elsewhere = charlie.memberships.get().workspace
    own = a_run(elsewhere, "++")

    answers = [
        ask(runs[0].pk, runs[1].pk, by=charlie, within=elsewhere),
        ask(own.pk, runs[1].pk, by=charlie, within=elsewhere),
    ]

    assert [answer.status_code for answer in answers] == [404, 404]


def test_what_cannot_be_compared_is_said(
    ask: Ask, workspace: Workspace, runs: tuple[Run, Run]
) -> None:
    first = runs[0].pk
    open_run = building.running_run(workspace, version=runs[0].dataset_version)
    asked = {
        "itself": ask(first, first),
        "wait until it has ended": ask(first, open_run.pk),
        "Name the runs": ask(first),
        "At most 7": ask(first, *(f"run_{number}" for number in range(8))),
        "null character": ask(first, "run_\0"),
    }

    for sentence, answer in asked.items():
        assert answer.status_code == 400, sentence
        assert sentence in said(answer)


@pytest.mark.parametrize("name", ["run_unknown", "", " ", "'; --", "run_" + "x" * 5_000, "🜁"])
def test_names_of_no_run_are_not_found(ask: Ask, runs: tuple[Run, Run], name: str) -> None:
    assert ask(runs[0].pk, name).status_code == 404
    assert ask(name or "x", runs[0].pk).status_code == 404
