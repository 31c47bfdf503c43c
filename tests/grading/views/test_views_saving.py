"""Contracts over HTTP: started, edited as text, and saved as versions."""

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from apps.accounts.models import AuditEvent, User, Workspace
from apps.grading import queries
from apps.grading.documents import write_yaml
from apps.grading.models import GradingContract
from apps.grading.starters import STARTERS, starter_spec
from tests.bounds import bounded

from .pages import LIST, lock, page, save

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join(f'*{before}' for _ in range(9))}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def plain(answer: HttpResponse) -> str:
    return answer.content.decode().replace("&#x27;", "'").replace("&quot;", '"')


# -- new -----------------------------------------------------------------------------------


@pytest.mark.parametrize("starter", STARTERS)
def test_a_contract_starts_from_one_that_is_ready(
    as_alice: Client, alice: User, workspace: Workspace, starter: Any
) -> None:
    answer = as_alice.post(f"{LIST}new/", {"name": "first", "starter": starter}, follow=True)

    contract = workspace.contracts.get()
    assert queries.latest_version(contract).parsed == starter_spec(starter)
    assert "first is ready" in answer.content.decode()
    event = AuditEvent.objects.get(object_id=contract.pk)
    assert (event.actor, event.verb, event.via) == (alice, "contract.created", "page")


def test_a_name_that_is_taken_is_refused_at_its_field(
    as_alice: Client, contract: GradingContract
) -> None:
    shown = plain(as_alice.post(f"{LIST}new/", {"name": "quality", "starter": "exact"}))

    assert "There is already a contract named 'quality' here." in shown
    assert '<a href="#id_name">Name</a>' in shown


# -- edit ----------------------------------------------------------------------------------


def test_a_draft_is_edited_in_place(as_alice: Client, contract: GradingContract) -> None:
    before = page(as_alice, f"{LIST}{contract.pk}/edit/")
    answer = save(as_alice, contract, write_yaml(starter_spec("judge")))

    assert "Version 1 is a draft." in before
    assert contract.versions.get().parsed == starter_spec("judge")
    assert "quality@1 is saved." in answer.content.decode()


def test_saving_a_locked_version_makes_the_next(
    as_alice: Client, contract: GradingContract
) -> None:
    locked = lock(contract)
    before = page(as_alice, f"{LIST}{contract.pk}/edit/")

    answer = save(as_alice, contract, write_yaml(starter_spec("judge")))

    assert "Version 1 is locked: a run used it." in before
    assert "Saving changes makes version 2, a draft." in before
    assert "quality@2 is saved." in answer.content.decode()
    assert contract.versions.get(number=1).spec_sha256 == locked.spec_sha256


def test_the_text_that_the_editor_shows_saves_to_the_same(
    as_alice: Client, contract: GradingContract
) -> None:
    desk = as_alice.get(f"{LIST}{contract.pk}/edit/").context["desk"]

    answer = save(as_alice, contract, desk.text.replace("\n", "\r\n"))

    assert "Nothing changed: quality@1 already says this." in answer.content.decode()


def test_an_export_can_be_pasted_into_the_editor(
    as_alice: Client, contract: GradingContract
) -> None:
    same = write_yaml(starter_spec("judge"), name="quality")
    other = write_yaml(starter_spec("judge"), name="another")

    refused, accepted = save(as_alice, contract, other), save(as_alice, contract, same)

    assert "This is the text of the contract “another”" in refused.content.decode()
    assert "quality@1 is saved." in accepted.content.decode()


def test_errors_are_listed_by_path_and_the_text_stays(
    as_alice: Client, contract: GradingContract
) -> None:
    text = "rules:\n- {type: exact_match, name: a, threshold: 3}\n- {type: guess, name: b}\n"

    answer = save(as_alice, contract, text)

    shown = plain(answer)
    assert "rules[0] (a).threshold: should be less than or equal to 1" in shown
    assert "rules[1] (b): there is no rule type 'guess'" in shown
    assert '<a href="#id_text">' in shown
    assert "threshold: 3}" in shown
    assert contract.versions.get().parsed == starter_spec("exact")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (BOMB, "Aliases (*name) are not allowed"),
        ("[" * 100_000, "nested deeper than 60 levels"),
        ('{"a":' * 50_000, "nested deeper than 60 levels"),
        ("rules: " + "9" * 5_000, "more than 1,000 digits"),
        ("x" * 500_001, "more than 500,000 characters"),
        ("!!python/object/apply:os.system [id]", "os.system is not known here"),
        ("rules: [", "This is not valid YAML"),
        ("just text", "something else"),
    ],
    ids=["bomb", "deep", "deep JSON", "digits", "long", "tag", "broken", "text"],
)
def test_a_hostile_text_gets_a_sentence(
    as_alice: Client, contract: GradingContract, text: str, sentence: str
) -> None:
    with bounded(20):
        answers = [
            save(as_alice, contract, text),
            as_alice.post(f"{LIST}import/", {"name": "x", "text": text}),
        ]

    assert all(answer.status_code == 200 and sentence in plain(answer) for answer in answers)
    assert contract.versions.get().parsed == starter_spec("exact")


def test_what_somebody_else_saved_meanwhile_is_not_overwritten_unseen(
    as_alice: Client, contract: GradingContract
) -> None:
    opened = queries.latest_version(contract).spec_sha256
    save(as_alice, contract, write_yaml(starter_spec("judge")))
    mine = write_yaml(starter_spec("reference"))

    first = save(as_alice, contract, mine, based_on=opened)
    kept = contract.versions.get().parsed
    again = save(as_alice, contract, mine)

    assert "Somebody saved this contract while you were editing" in first.content.decode()
    assert kept == starter_spec("judge")
    assert f'name="based_on" value="{kept.sha256}"' in first.content.decode()
    assert "quality@1 is saved." in again.content.decode()


def test_an_archived_contract_is_not_edited(as_alice: Client, contract: GradingContract) -> None:
    as_alice.post(f"{LIST}{contract.pk}/archive/")

    answer = save(as_alice, contract, write_yaml(starter_spec("judge")))

    assert "Restore it before you change it" in answer.content.decode()
