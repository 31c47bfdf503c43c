"""Boards over the API."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.analysis.comparing import IN_REQUEST
from apps.metrics.ranked import Board as Body
from apps.runs.models import Run
from tests import samples
from tests.labeling.building import labels_blind
from tests.runs import building

from .building import a_run, in_a_row, judged, passing, rivals

Ask = Any


@pytest.fixture
def ask(client: Client, workspace: Workspace, alice: User) -> Ask:
    def asking(by: User = alice, **named: str) -> Any:
        return client.get("/api/v1/boards", named, headers=samples.bearer_of(by, workspace))

    return asking


def said(answer: Any) -> str:
    return str(answer.json()["error"]["message"])


def test_ranks_come_with_ties_interval_and_n(ask: Ask, workspace: Workspace) -> None:
    runs = rivals(workspace, solid=55, weak=31, third=30)

    answer = ask()

    assert answer.status_code == 200
    found = answer.json()
    assert found["dataset_version_id"] == runs["solid"].dataset_version_id
    assert [run["run_id"] for run in found["runs"]] == [
        runs[name].pk for name in ("third", "weak", "solid")
    ]
    ranks = Body.model_validate(found["body"]).ranks
    assert [(each.run, each.first, each.last, each.group) for each in ranks] == [
        (runs["solid"].pk, 1, 1, 1),
        (runs["weak"].pk, 2, 3, 2),
        (runs["third"].pk, 2, 3, 2),
    ]
    estimate = ranks[0].estimate
    assert (estimate.n, estimate.point) == (60, pytest.approx(55 / 60))
    assert estimate.low is not None


def test_the_address_of_the_page_and_of_the_api_ask_alike(ask: Ask, workspace: Workspace) -> None:
    first = rivals(workspace, solid=55, weak=31)
    strict = building.demanding_contract(workspace)
    version = first["solid"].dataset_version
    for day in (7, 8):
        a_run(workspace, passing(20, 60), version, day=day, target="solid", contract=strict)

    strictly = ask(version=version.pk, contract=strict.pk, metric="score_mean", every="on").json()

    assert (strictly["metric"], strictly["every"]) == ("score_mean", True)
    assert strictly["contract_version_id"] == strict.pk
    assert len(strictly["runs"]) == 2
    assert len(strictly["grounds"]) == 2


def test_one_run_ranks_against_nobody_and_the_answer_says_so(
    ask: Ask, workspace: Workspace
) -> None:
    nothing = ask().json()
    assert (nothing["board_id"], nothing["body"], nothing["runs"]) == (None, None, [])

    in_a_row(workspace, 20)
    one = ask()

    assert one.status_code == 200
    assert one.json()["body"] is None
    assert "A board takes two ended runs of one dataset version" in one.json()["reason"]


def test_why_a_judged_number_is_not_corrected_is_told(ask: Ask, workspace: Workspace) -> None:
    runs = rivals(workspace, solid=55, weak=31)
    assert ask().json()["runs"][0]["corrected"] is None

    judged(workspace, list(runs.values()))

    corrected = ask().json()["runs"][0]["corrected"]
    assert corrected["interval"] is None
    assert corrected["why"]


def test_what_is_large_is_accepted_and_comes_later(ask: Ask, workspace: Workspace) -> None:
    rivals(workspace, solid=55, weak=31)
    Run.objects.update(planned=IN_REQUEST)

    answer = ask()

    assert (answer.status_code, answer.json()["body"]) == (202, None)
    assert answer.json()["state"] in ("pending", "sent")


def test_who_labels_blind_is_told_nothing_of_these_runs(
    ask: Ask, workspace: Workspace, bob: User
) -> None:
    runs = rivals(workspace, solid=55, weak=31, third=30)
    version = runs["solid"].dataset_version_id
    assert len(ask(bob).json()["runs"]) == 3

    labels_blind(runs["solid"], bob)

    answer = ask(bob, version=version)
    assert runs["solid"].pk not in answer.content.decode()
    assert ask(version=version).json()["board_id"] != answer.json().get("board_id")


@pytest.mark.parametrize(
    ("named", "status"),
    [
        ({"version": "dsv_nope"}, 404),
        ({"version": "\0" * 400}, 400),
        ({"contract": "cv_nope"}, 404),
        ({"metric": "charm"}, 400),
        ({"version": "é" * 5_000}, 404),
    ],
)
def test_what_cannot_be_had_is_refused(
    ask: Ask, workspace: Workspace, named: dict[str, str], status: int
) -> None:
    rivals(workspace, solid=55, weak=31)

    answer = ask(**named)

    assert answer.status_code == status
    assert said(answer)


def test_a_stranger_is_told_nothing(client: Client, workspace: Workspace, charlie: User) -> None:
    rivals(workspace, solid=55, weak=31)
    client.force_login(charlie)

    assert client.get("/api/v1/boards?workspace=demo").status_code in (403, 404)
