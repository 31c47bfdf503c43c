"""What is chosen of trends, by the address and the form; hostile addresses."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.runs.models import Run
from tests.labeling.building import labels_blind
from tests.runs import building

from .building import a_run, in_a_row, passing
from .pages import TRENDS, trend_of


def in_another_dataset(workspace: Workspace, *counts: int) -> list[Run]:
    version = building.make_version(workspace, 40, name="another")
    return [
        a_run(workspace, passing(count, 40), version, day=day, name=f"Other {day}")
        for day, count in enumerate(counts)
    ]


def test_it_opens_with_the_dataset_that_has_most_runs(workspace: Workspace, client: Client) -> None:
    in_another_dataset(workspace, 20)
    in_a_row(workspace, 20, 22, 25)

    assert "Night 2" in trend_of(client)


def test_it_opens_with_the_dataset_that_has_most_runs_alike(
    workspace: Workspace, client: Client
) -> None:
    version = building.make_version(workspace, 40, name="another")
    for day in range(4):
        a_run(workspace, passing(20, 40), version, day=day, target=f"target {day}")
    in_a_row(workspace, 20, 22, 25)

    assert "Night 2" in trend_of(client)


def test_too_few_runs_lead_to_those_that_there_are(workspace: Workspace, client: Client) -> None:
    few = in_another_dataset(workspace, 20)[0].dataset_version.dataset
    run = in_a_row(workspace, 20, 22, 25)[0]

    shown = client.get(TRENDS, {"dataset": few.pk}).content.decode()

    name = run.dataset_version.dataset.name
    link = re.search(rf'href="(\?[^"]+)">3 runs of {name}</a>', shown)
    assert link
    assert "Night 2" in client.get(TRENDS + unescape(link[1])).content.decode()


def test_filtered_runs_lead_to_all_of_the_dataset(workspace: Workspace, client: Client) -> None:
    name = in_a_row(workspace, 20, 22, 25)[0].dataset_version.dataset.name

    assert f"There are 3 runs of {name}" in trend_of(client, {"from": "2030-01-01T00:00"})


def test_a_dataset_of_regrades_alone_leads_to_them(workspace: Workspace, client: Client) -> None:
    runs = in_a_row(workspace, 20, 22, 25)
    Run.objects.update(kind=Run.Kind.REGRADE)

    shown = client.get(TRENDS).content.decode()

    link = re.search(r'href="(\?[^"]*regrades=on[^"]*)"', shown)
    assert link
    assert runs[2].name in client.get(TRENDS + unescape(link[1])).content.decode()


def several_trials(workspace: Workspace, *trials: int) -> None:
    version = building.make_version(workspace, 30)
    for day, n in enumerate(trials):
        a_run(workspace, "+" * 20 * n + "-" * 10 * n, version, day=day, trials=n)


def test_pass_hat_k_is_followed_as_far_as_every_run_has_trials(
    workspace: Workspace, client: Client
) -> None:
    several_trials(workspace, 2, 3, 3)

    page = client.get(TRENDS).content.decode()
    shown = trend_of(client, {"metric": "pass^2"})

    assert re.findall(r'<option value="pass\^(\d)"', page) == ["2"]
    assert "pass^2, all of 2 trials pass over 3 runs" in shown
    assert "30 66.7 %" in shown
    assert "pass^k is offered up to k = 2" in shown
    assert "1 of these 3 runs have fewer than 3" in shown


def test_where_a_run_has_one_trial_the_page_says_why_pass_hat_k_is_missing(
    workspace: Workspace, client: Client
) -> None:
    several_trials(workspace, 1, 3)

    page = client.get(TRENDS).content.decode()

    assert "pass^k is not offered: it takes k trials of each record in every run" in page
    assert 'value="pass^' not in page


def test_where_nobody_tries_twice_nothing_is_said_of_it(
    workspace: Workspace, client: Client
) -> None:
    in_a_row(workspace, 20, 22, 25)

    assert "pass^" not in client.get(TRENDS).content.decode()


def test_metric_target_and_slice_are_in_the_address(workspace: Workspace, client: Client) -> None:
    version = building.make_version(workspace, 40)
    for day, target in enumerate(["one", "one", "two"]):
        a_run(workspace, passing(30, 40), version, day=day, target=target)
    of_one = Run.objects.filter(targets__target_version__target__name="one").first()
    assert of_one is not None
    target_id = of_one.targets.get().target_version.target_id

    assert "Latency p95 over 3 runs" in trend_of(client, {"metric": "latency_p95"})
    assert "lower is better" in trend_of(client, {"metric": "latency_p95"})
    assert "Pass rate over 2 runs" in trend_of(client, {"target": target_id})
    sliced = trend_of(client, {"slice": "metadata.channel=mail"})
    assert "Pass rate of metadata.channel=mail over 3 runs" in sliced
    assert " 14 " in sliced, "records of the slice"
    exact = trend_of(client, {"metric": "rule:exact:pass_rate"})
    assert "exact, share that passes over 3 runs" in exact


def test_regrades_come_in_by_choice(workspace: Workspace, client: Client) -> None:
    runs = in_a_row(workspace, 20, 22, 25)
    Run.objects.filter(pk=runs[0].pk).update(kind=Run.Kind.REGRADE, name="Graded again")

    assert "Graded again" not in trend_of(client)
    assert "Graded again" in trend_of(client, {"regrades": "on"})


@pytest.mark.parametrize(
    "query",
    [
        {"metric": "\0", "target": "é" * 5_000, "slice": "=" * 400},
        {"from": "2026-13-45"},
        {"from": "9999-99-99T99:99"},
        {"from": "0001-01-01T00:00:00+14:00"},
        {"from": "9999-12-31T23:59:59-14:00"},
        {"slice": "tag"},
        {"metric": "rule:nobody:pass_rate"},
        {"regrades": "\0", "unknown": "1"},
        {"version": "\0", "contract": "x" * 400, "judges": "\0", "mixed": "\0"},
        {"metric": "pass^4"},
    ],
)
def test_no_address_breaks_it(workspace: Workspace, client: Client, query: dict[str, Any]) -> None:
    in_a_row(workspace, 20, 22, 25)

    assert client.get(TRENDS, query).status_code == 200


@pytest.mark.parametrize(
    "part", ["metric", "target", "version", "contract", "judges", "slice", "from"]
)
def test_what_an_address_names_and_cannot_be_had_is_told(
    workspace: Workspace, client: Client, part: str
) -> None:
    in_a_row(workspace, 20, 22, 25)
    told = "Not all that the address names is shown"

    assert told not in trend_of(client)
    assert told in trend_of(client, {part: "nothing-here"})


@pytest.mark.parametrize("dataset", ["ds_nope", "x\0y"])
def test_a_dataset_that_is_not_there_is_not_found(
    workspace: Workspace, client: Client, dataset: str
) -> None:
    in_a_row(workspace, 20, 22, 25)

    assert client.get(TRENDS, {"dataset": dataset}).status_code == 404


def test_a_dataset_that_is_concealed_is_not_found_either(
    workspace: Workspace, client: Client, bob: User
) -> None:
    hidden = in_a_row(workspace, 20, 22, 25)
    in_another_dataset(workspace, 20, 22, 25)
    labels_blind(hidden[0], bob)
    client.force_login(bob)

    address = {"dataset": hidden[0].dataset_version.dataset_id}
    assert client.get(TRENDS, address).status_code == 404


def test_a_filter_that_leaves_nothing_says_so(workspace: Workspace, client: Client) -> None:
    in_a_row(workspace, 20, 22, 25)

    assert "No ended run of this dataset has all that is chosen above" in trend_of(
        client, {"from": "2030-01-01T00:00"}
    )
