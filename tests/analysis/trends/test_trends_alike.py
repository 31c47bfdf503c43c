"""Trends run through runs that are alike: one target, data, contract and judges."""

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qsl

from django.test import Client

from apps.accounts.models import Workspace
from apps.runs.models import Run
from apps.targets.models import Target
from tests.runs import building

from .building import a_run, in_a_row, judged, passing
from .pages import TRENDS, html_of, trend_of

TOGETHER = {"mixed": "on"}
MOST_QUERIES = 33


def over_two_grounds(workspace: Workspace) -> list[Run]:
    """Six runs that get better, then two of other data, one of them by another contract."""
    first = in_a_row(workspace, *range(10, 40, 5))
    version = building.make_version(workspace, 40)
    strict = building.demanding_contract(workspace)
    return [
        *first,
        a_run(workspace, passing(39, 40), version, day=5, name="Changed"),
        a_run(workspace, passing(38, 40), version, day=6, contract=strict, name="Strict"),
    ]


def test_a_new_version_and_a_new_contract_are_marked(workspace: Workspace, client: Client) -> None:
    *_, changed, strict = over_two_grounds(workspace)

    shown = trend_of(client, TOGETHER)

    assert f"new: dataset {changed.dataset_version.label}" in shown
    assert f"new: contract {strict.contract_version}" in shown


def test_no_line_runs_over_what_is_not_alike(workspace: Workspace, client: Client) -> None:
    over_two_grounds(workspace)

    answer = client.get(TRENDS, TOGETHER)
    shown = trend_of(client, TOGETHER)

    assert "No verdict" in shown
    assert "2 versions of the dataset and 2 contracts" in shown
    assert answer.context["series"].trend.slope.point is None
    assert 'class="fit"' not in answer.content.decode()


def test_what_is_alike_has_a_verdict_of_its_own_and_is_shown_alone(
    workspace: Workspace, client: Client
) -> None:
    first = over_two_grounds(workspace)[0]

    page = client.get(TRENDS, TOGETHER).content.decode()

    by_itself = trend_of(client, TOGETHER).partition("Each by itself")[2]
    by_itself = by_itself.partition("The newest first")[0]
    assert re.search(r"6 \+1\d\.\d points .* Improving", by_itself)
    assert "2 more with fewer than three runs" in by_itself
    links = re.findall(r'href="(\?[^"]+)" aria-label="Show ', page)
    assert len(links) == 1
    alone = trend_of(client, dict(parse_qsl(unescape(links[0])[1:])))
    assert "Pass rate over 6 runs" in alone
    assert ("Improving" in alone, "Each by itself" in alone) == (True, False)
    assert f"version={first.dataset_version_id}" in links[0]


def test_targets_side_by_side_have_no_verdict_together(
    workspace: Workspace, client: Client
) -> None:
    version = building.make_version(workspace, 40)
    for day, count in enumerate(range(8, 32, 2)):
        target = ("one", "two")[day % 2]
        a_run(workspace, passing(count, 40), version, day=day, target=target)

    shown = trend_of(client, TOGETHER)

    assert "these runs have 2 targets" in shown.lower()
    assert shown.partition("Each by itself")[2].count("Improving") == 2


def test_where_nothing_alike_has_three_runs_the_page_says_so(
    workspace: Workspace, client: Client
) -> None:
    version = building.make_version(workspace, 40)
    for day, target in enumerate(("one", "two", "three")):
        a_run(workspace, passing(20, 40), version, day=day, target=target)

    shown = trend_of(client)

    assert "No target has, over the same data and contract, the three runs" in shown
    assert "Each by itself" not in shown


def test_other_judges_are_another_ground(workspace: Workspace, client: Client) -> None:
    runs = in_a_row(workspace, 10, 20, 30)
    judged(workspace, runs)
    building.with_judge(runs[2], "strict judge", 2)

    shown = trend_of(client)

    assert "2 sets of judges" in shown
    assert "new: judged by strict judge v2" in shown


def test_a_judge_that_no_rule_asks_is_no_other_ground(workspace: Workspace, client: Client) -> None:
    runs = in_a_row(workspace, 10, 20, 30)
    building.with_judge(runs[2], "strict judge", 2)

    shown = trend_of(client)

    assert "strict judge" not in shown
    assert "Each by itself" not in shown


def links_to_show_alone(client: Client, query: dict[str, str]) -> list[dict[str, str]]:
    shown = html_of(client, query, TRENDS)
    links = re.findall(r'href="\?([^"]+)" aria-label="Show ', shown)
    return [dict(parse_qsl(unescape(link))) for link in links]


def test_it_opens_with_the_most_runs_that_are_alike_and_says_which(
    workspace: Workspace, client: Client
) -> None:
    over_two_grounds(workspace)

    page, shown = html_of(client, page=TRENDS), trend_of(client)

    assert "Pass rate over 6 runs" in shown
    assert ("Improving" in shown, "No verdict" in shown) == (True, False)
    assert "These runs asked assistant over" in shown
    link = re.search(r'href="\?([^"]+)">Show all 8 runs together', page)
    assert link
    together = trend_of(client, dict(parse_qsl(unescape(link[1]))))
    assert ("Pass rate over 8 runs" in together, "No verdict" in together) == (True, True)


def test_beside_the_fullest_stand_links_to_the_others(workspace: Workspace, client: Client) -> None:
    version = building.make_version(workspace, 40)
    for day, target in enumerate(("one", "two", "two", "one", "two", "one", "two")):
        a_run(workspace, passing(20, 40), version, day=day, target=target, name=f"{target} {day}")

    shown = trend_of(client)
    [other] = links_to_show_alone(client, {})

    assert "Pass rate over 4 runs" in shown
    assert "two 6" in shown
    assert "one 5" not in shown
    assert "Others, each by itself" in shown
    alone = trend_of(client, other)
    assert ("Pass rate over 3 runs" in alone, "one 5" in alone) == (True, True)


def test_where_nothing_alike_has_three_values_all_runs_are_shown(
    workspace: Workspace, client: Client
) -> None:
    version = building.make_version(workspace, 40)
    for day, target in enumerate(("one", "one", "two")):
        a_run(workspace, passing(20, 40), version, day=day, target=target)

    assert "Pass rate over 3 runs" in trend_of(client)


def test_runs_that_other_judges_judged_are_shown_alone(
    workspace: Workspace, client: Client
) -> None:
    runs = in_a_row(workspace, 10, 20, 30, 12, 22, 32)
    judged(workspace, runs)
    for run in runs[3:]:
        building.with_judge(run, "strict judge", 2)

    links = links_to_show_alone(client, TOGETHER)

    strict, first = (trend_of(client, link) for link in links)
    assert ("Night 5" in strict, "Night 2" in strict) == (True, False)
    assert ("Night 5" in first, "Night 2" in first) == (False, True)
    assert "Pass rate over 3 runs" in strict
    assert "No verdict" not in strict
    assert "Any judges" in strict, "they can be chosen in the form"


def test_a_target_with_another_name_is_the_same_target(
    workspace: Workspace, client: Client
) -> None:
    runs = in_a_row(workspace, 10, 20, 30)
    target = runs[0].targets.get().target_version.target
    Target.objects.filter(pk=target.pk).update(name="renamed")
    a_run(workspace, passing(35, 40), runs[0].dataset_version, day=4, target="renamed", name="New")

    shown = trend_of(client)
    [link] = links_to_show_alone(client, TOGETHER) or [{"target": target.pk}]

    assert "Pass rate over 4 runs" in shown
    assert "Show all" not in shown
    assert "Pass rate over 4 runs" in trend_of(client, link)


def test_contracts_are_offered_the_newest_first(workspace: Workspace, client: Client) -> None:
    version = building.make_version(workspace, 40)
    later = building.make_version(workspace, 40)
    old = building.make_contract(workspace)
    new = building.demanding_contract(workspace)
    for ran, contract in ((version, new), (later, old)):
        a_run(workspace, passing(20, 40), ran, contract=contract)

    shown = html_of(client, page=TRENDS)

    assert new.pk > old.pk
    assert shown.index(f'value="{new.pk}"') < shown.index(f'value="{old.pk}"')


def test_the_number_of_queries_does_not_grow_with_what_is_not_alike(
    workspace: Workspace, client: Client, django_assert_max_num_queries: Any
) -> None:
    version = building.make_version(workspace, 20)
    for day in range(12):
        a_run(workspace, passing(10, 20), version, day=day, target=f"target {day % 4}")
    client.get(TRENDS)

    with django_assert_max_num_queries(MOST_QUERIES):
        client.get(TRENDS)
