"""The pages of grading contracts over HTTP: the list, one contract, and the archive."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.grading import services
from apps.grading.documents import write_yaml
from apps.grading.models import GradingContract
from apps.grading.rules import Regex
from apps.grading.spec import ContractSpec
from apps.grading.starters import starter_spec
from tests.runs.building import make_contract, queued_run

from .pages import LIST, lock, made, page, save

HOSTILE = "<script>alert(1)</script>\"'{{ 7|add:7 }}"
MOST_QUERIES = 12


# -- list ----------------------------------------------------------------------------------


def test_the_list_says_what_each_contract_holds(
    as_alice: Client, workspace: Workspace, contract: GradingContract
) -> None:
    lock(contract)
    made(workspace, "with a judge", starter_spec("judge"))

    shown = page(as_alice, LIST)

    for words in ("quality", "with a judge", "Locked", "Draft", "(1 blocking)", "Never"):
        assert words in shown


def test_a_reviewer_reads_but_is_not_offered_to_change(
    client: Client, bob: User, contract: GradingContract
) -> None:
    client.force_login(bob)

    for address in (LIST, f"{LIST}{contract.pk}/"):
        shown = page(client, address)

        assert "quality" in shown
        assert not any(f"{place}/" in shown for place in ("/new", "/edit", "/archive", "/import"))


def test_without_contracts_the_page_says_what_one_is(as_alice: Client) -> None:
    shown = page(as_alice, LIST)

    assert "No contracts yet" in shown
    assert f'href="{LIST}new/"' in shown


def test_a_long_list_takes_as_few_queries_as_a_short_one(
    as_alice: Client, workspace: Workspace, django_assert_max_num_queries: Any
) -> None:
    for number in range(60):
        made(workspace, f"contract {number:02}")

    with django_assert_max_num_queries(MOST_QUERIES):
        first = as_alice.get(LIST)
    second = page(as_alice, f"{LIST}?cursor={first.context['page'].older}")

    assert "contract 49" in first.content.decode()
    assert "contract 50" not in first.content.decode()
    assert "contract 50" in second


# -- detail --------------------------------------------------------------------------------


def test_each_rule_is_a_card_in_its_order(as_alice: Client, workspace: Workspace) -> None:
    contract = made(workspace, spec=starter_spec("reference"))

    shown = page(as_alice, f"{LIST}{contract.pk}/")

    places = [shown.index(f"{n}. {name}") for n, name in ((1, "token_f1"), (2, "rouge_l"))]
    assert places == sorted(places)
    assert "Blocking" in shown
    assert "Warning" in shown
    assert "Pass rate at least 80 %, by the lower bound of its 95 % interval" in shown


def test_an_older_version_is_shown_as_such(as_alice: Client, contract: GradingContract) -> None:
    lock(contract)
    save(as_alice, contract, write_yaml(starter_spec("judge")))

    shown = page(as_alice, f"{LIST}{contract.pk}/?version=1")

    assert "This is version 1; the latest is 2." in shown
    assert "1. exact" in shown


@pytest.mark.parametrize("version", ["7", "0", "x", "-1", "9" * 5_000, "²"])
@pytest.mark.parametrize("place", ["", "diff/", "export.yaml"])
def test_a_version_that_there_is_not_is_404(
    as_alice: Client, contract: GradingContract, place: str, version: str
) -> None:
    answer = as_alice.get(f"{LIST}{contract.pk}/{place}", {"version": version})

    assert answer.status_code == 404


def test_hostile_names_and_settings_stay_text(as_alice: Client, workspace: Workspace) -> None:
    spec = ContractSpec(description=HOSTILE, rules=(Regex(name="r", pattern=r"<script>\("),))
    contract = made(workspace, HOSTILE, spec)
    lock(contract)
    services.save_version(
        contract=contract, spec=starter_spec("exact"), by=None, now=timezone.now()
    )
    addresses = [LIST, *(f"{LIST}{contract.pk}/{place}" for place in ("?version=1", "diff/"))]

    shown = [page(as_alice, address) for address in [*addresses, f"{LIST}{contract.pk}/edit/"]]

    assert not any("<script>alert" in each or r"<script>\(" in each for each in shown)
    assert all("{{ 7|add:7 }}" in each for each in shown)


def test_many_versions_cost_no_more_queries(
    as_alice: Client, contract: GradingContract, django_assert_max_num_queries: Any
) -> None:
    for number in range(20):
        lock(contract)
        spec = ContractSpec(rules=(Regex(name="r", pattern=f"{number}"),))
        services.save_version(contract=contract, spec=spec, by=None, now=timezone.now())

    with django_assert_max_num_queries(MOST_QUERIES):
        answer = as_alice.get(f"{LIST}{contract.pk}/")

    assert len(answer.context["detail"].versions) == 21


def test_the_runs_that_used_it_are_counted(
    as_alice: Client, workspace: Workspace, alice: User
) -> None:
    run = queued_run(workspace, alice, contract=make_contract(workspace))
    contract = run.contract_version.contract

    answer = as_alice.get(f"{LIST}{contract.pk}/")

    assert (answer.context["detail"].runs, answer.context["detail"].shown.runs) == (1, 1)
    assert "1 run" in answer.content.decode()
    assert "Never" not in page(as_alice, LIST)


# -- archive -------------------------------------------------------------------------------


def test_a_contract_is_archived_and_restored(as_alice: Client, contract: GradingContract) -> None:
    archived = as_alice.post(f"{LIST}{contract.pk}/archive/", follow=True).content.decode()
    lists = [page(as_alice, LIST), page(as_alice, f"{LIST}?archived=1")]
    restored = as_alice.post(f"{LIST}{contract.pk}/restore/", follow=True).content.decode()

    assert "quality is archived" in archived
    assert ["quality" in shown for shown in lists] == [False, True]
    assert "quality is back" in restored
