"""The pages of targets over HTTP: the list, a new one, changes, the archive."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import AuditEvent, User, Workspace
from apps.targets import services
from apps.targets.models import Target
from apps.targets.specs import SPEC_OF_KIND

from .asking import spec
from .pages import LIST, MOST_QUERIES, NEW, SECRET, made, page
from .test_forms import filled


def sent(target: Target, **changes: Any) -> dict[str, Any]:
    """What a browser sends from the form that edits this target, with changes."""
    initial = {"name": target.name, **target.current.parsed.model_dump(mode="json"), **changes}
    del initial["kind"]
    return filled(target.kind, **initial)


# -- list ----------------------------------------------------------------------------------


def test_the_list_says_who_answers_and_where(as_alice: Client, workspace: Workspace) -> None:
    made(workspace, "openai_chat", "Llama", base_url="http://models.test/v1", model="llama-70b")
    made(workspace, "scripted", "Demo")

    shown = page(as_alice, LIST)

    for words in ("Llama", "llama-70b", "http://models.test/v1", "OpenAI-compatible chat"):
        assert words in shown
    assert "Scripted (no model answers)" in shown
    assert "Never" in shown


def test_an_archived_target_is_on_its_own_list(as_alice: Client, workspace: Workspace) -> None:
    target = made(workspace, name="retired one")
    services.archive_target(target=target, by=None, now=timezone.now())

    assert "retired one" not in page(as_alice, LIST)
    assert "retired one" in page(as_alice, f"{LIST}?archived=1")


def test_only_those_who_may_are_shown_how_to_add_one(
    client: Client, alice: User, ada: User
) -> None:
    client.force_login(alice)
    for_alice = page(client, LIST)
    client.force_login(ada)
    for_ada = page(client, LIST)

    assert "No targets yet" in for_alice
    assert "Ask an admin" in for_alice
    assert "No targets yet" in for_ada
    assert f'href="{NEW}"' in for_ada


def test_a_long_list_takes_as_few_queries_as_a_short_one(
    as_alice: Client, workspace: Workspace, django_assert_max_num_queries: Any
) -> None:
    for number in range(60):
        made(workspace, name=f"target {number:02}")

    with django_assert_max_num_queries(MOST_QUERIES):
        first = as_alice.get(LIST)
    older = first.context["page"].older
    second = page(as_alice, f"{LIST}?cursor={older}")

    assert "target 49" in first.content.decode()
    assert "target 50" not in first.content.decode()
    assert "target 50" in second


# -- new -----------------------------------------------------------------------------------


def test_the_kinds_come_first(as_ada: Client) -> None:
    shown = page(as_ada, NEW)

    assert all(f"?kind={kind}" in shown for kind in SPEC_OF_KIND)


def test_a_kind_that_there_is_not_leads_back_to_the_choice(as_ada: Client) -> None:
    shown = page(as_ada, f"{NEW}?kind=nonsense")

    assert "?kind=openai_chat" in shown


@pytest.mark.parametrize("kind", list(SPEC_OF_KIND))
def test_every_setting_is_on_the_form_of_its_kind(as_ada: Client, kind: str) -> None:
    shown = page(as_ada, f"{NEW}?kind={kind}")

    for name in SPEC_OF_KIND[kind].model_fields:
        assert name == "kind" or shown.count(f'name="{name}"') == 1, name
    assert "Please correct" not in shown


def test_a_new_target_is_made_and_noted(as_ada: Client, ada: User, workspace: Workspace) -> None:
    body = filled("openai_chat", name="Llama", base_url="http://127.0.0.1:1/v1", model="m")

    answer = as_ada.post(f"{NEW}?kind=openai_chat", body, follow=True)

    target = workspace.targets.get()
    assert answer.redirect_chain == [(f"{LIST}{target.pk}/", 302)]
    assert "Llama is ready" in answer.content.decode()
    event = AuditEvent.objects.get(object_id=target.pk)
    assert (event.actor, event.verb, event.via) == (ada, "created", "page")


def test_errors_are_summed_up_and_linked_to_their_fields(
    as_ada: Client, workspace: Workspace
) -> None:
    body = filled("openai_chat", name="x", base_url="http://169.254.169.254/", model="m")

    shown = as_ada.post(f"{NEW}?kind=openai_chat", body).content.decode()

    assert '<a href="#id_base_url">Base URL</a>' in shown
    assert "cloud metadata" in shown
    assert not workspace.targets.exists()


def test_a_name_that_is_taken_is_refused_with_a_sentence(
    as_ada: Client, workspace: Workspace
) -> None:
    made(workspace, name="model")

    shown = as_ada.post(f"{NEW}?kind=scripted", filled("scripted", name="model")).content.decode()

    assert "There is a target “model” already" in shown
    assert workspace.targets.count() == 1


def test_a_key_in_place_of_a_variable_is_refused(as_ada: Client, workspace: Workspace) -> None:
    body = filled(
        "openai_chat", name="x", base_url="http://127.0.0.1:1/v1", model="m", api_key_env=SECRET
    )

    shown = as_ada.post(f"{NEW}?kind=openai_chat", body).content.decode()

    assert "never the key itself" in shown
    assert not workspace.targets.exists()


# -- edit ----------------------------------------------------------------------------------


def test_saving_other_settings_makes_the_next_version(as_ada: Client, workspace: Workspace) -> None:
    target = made(workspace, seed=1)

    answer = as_ada.post(f"{LIST}{target.pk}/edit/", sent(target, seed=5), follow=True)

    target.refresh_from_db()
    assert (target.current.number, target.current.parsed) == (2, spec("scripted", seed=5))
    assert "it is version 2 now" in answer.content.decode()


def test_a_new_name_alone_keeps_the_version(as_ada: Client, workspace: Workspace) -> None:
    target = made(workspace, seed=1)

    answer = as_ada.post(f"{LIST}{target.pk}/edit/", sent(target, name="renamed"), follow=True)

    target.refresh_from_db()
    assert (target.name, target.current_number) == ("renamed", 1)
    assert "still version 1" in answer.content.decode()


def test_an_archived_target_is_not_edited(as_ada: Client, workspace: Workspace) -> None:
    target = made(workspace)
    as_ada.post(f"{LIST}{target.pk}/archive/")

    shown = as_ada.post(f"{LIST}{target.pk}/edit/", sent(target, seed=9)).content.decode()

    assert "Restore it before you change it" in shown
    assert target.versions.count() == 1


# -- archive -------------------------------------------------------------------------------


def test_a_target_is_archived_and_restored(as_ada: Client, workspace: Workspace) -> None:
    target = made(workspace)

    archived = as_ada.post(f"{LIST}{target.pk}/archive/", follow=True).content.decode()
    restored = as_ada.post(f"{LIST}{target.pk}/restore/", follow=True).content.decode()

    assert "model is archived" in archived
    assert "Restore" in archived
    assert "model is back" in restored
    verbs = AuditEvent.objects.filter(object_id=target.pk).order_by("pk").values_list("verb")
    assert [verb for (verb,) in verbs] == ["created", "archived", "restored"]
