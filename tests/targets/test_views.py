"""The pages of targets over HTTP: what each role sees, does and is told."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import AuditEvent, User, Workspace
from apps.targets import services
from apps.targets.models import Target
from apps.targets.specs import SPEC_OF_KIND
from tests.model_server import ModelServer
from tests.runs.building import queued_run

from .asking import free_port, spec
from .test_forms import filled

LIST = "/w/demo/targets/"
NEW = "/w/demo/targets/new/"
HOSTILE = "<script>alert(1)</script>\"'{{ 7|add:7 }}"
SECRET = "sk-test-4f9c2e71d0a84b7f"
MOST_QUERIES = 12


@pytest.fixture
def as_ada(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


@pytest.fixture
def as_alice(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def made(workspace: Workspace, kind: str = "scripted", name: str = "model", **set_: Any) -> Target:
    return services.create_target(workspace=workspace, name=name, spec=spec(kind, **set_), by=None)


def page(client: Client, address: str) -> str:
    answer = client.get(address)

    assert answer.status_code == 200
    return answer.content.decode()


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


# -- detail --------------------------------------------------------------------------------


def test_the_page_shows_what_changed_between_versions(
    as_alice: Client, workspace: Workspace
) -> None:
    target = made(workspace, seed=1, latency_ms=20)
    services.edit_target(target=target, spec=spec("scripted", seed=2, latency_ms=20), by=None)

    answer = as_alice.get(f"{LIST}{target.pk}/")

    latest, first = answer.context["detail"].versions
    assert [(c.title, c.before, c.after) for c in latest.changes] == [("Seed", "1", "2")]
    assert first.changes == ()
    assert "Seed: <del>1</del> → <ins>2</ins>" in answer.content.decode()


def test_a_lead_reads_but_is_not_offered_to_change(as_alice: Client, workspace: Workspace) -> None:
    target = made(workspace)

    shown = page(as_alice, f"{LIST}{target.pk}/")

    assert "Test connection" in shown
    assert f"{target.pk}/edit/" not in shown
    assert f"{target.pk}/archive/" not in shown


def test_a_variable_is_said_to_be_set_and_never_shown(
    as_ada: Client, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_TEST_KEY", SECRET)
    settings = {"base_url": "http://127.0.0.1:1/v1", "model": "m"}
    known = made(workspace, "openai_chat", "a", api_key_env="MODEL_TEST_KEY", **settings)
    unknown = made(workspace, "openai_chat", "b", api_key_env="MODEL_OTHER_KEY", **settings)

    shown = [
        page(as_ada, f"{LIST}{target.pk}/{place}")
        for target in (known, unknown)
        for place in ("", "edit/")
    ]

    assert all("Set on this server" in each for each in shown[:2])
    assert all("Not set on this server" in each for each in shown[2:])
    assert not any(SECRET in each for each in shown)


def test_the_variables_of_headers_are_looked_up_too(
    as_ada: Client, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_TEST_KEY", SECRET)
    headers = {"Authorization": "Bearer ${env:MODEL_TEST_KEY}"}
    target = made(workspace, "http_json", url="http://127.0.0.1:1/", headers=headers)

    for place in ("", "edit/"):
        shown = page(as_ada, f"{LIST}{target.pk}/{place}")

        assert "Set on this server" in shown
        assert SECRET not in shown


def test_no_page_says_whether_the_servers_own_variables_are_set(
    as_ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://somewhere")
    body = filled("openai_chat", name="x", base_url="", model="m", api_key_env="DATABASE_URL")

    shown = as_ada.post(f"{NEW}?kind=openai_chat", body).content.decode()

    assert "belongs to the server itself" in shown
    assert "on this server</span>" not in shown


def test_hostile_names_and_settings_stay_text(as_ada: Client, workspace: Workspace) -> None:
    target = made(workspace, name=HOSTILE, canned={HOSTILE: HOSTILE})
    services.edit_target(target=target, spec=spec("scripted"), by=None)
    addresses = [LIST, f"{LIST}{target.pk}/", f"{LIST}{target.pk}/edit/"]

    shown = [page(as_ada, address) for address in addresses]

    assert not any("<script>alert" in each for each in shown)
    assert all("{{ 7|add:7 }}" in each for each in shown)


def test_many_versions_cost_no_more_queries(
    as_alice: Client, workspace: Workspace, django_assert_max_num_queries: Any
) -> None:
    target = made(workspace, seed=0)
    for seed in range(1, 20):
        services.edit_target(target=target, spec=spec("scripted", seed=seed), by=None)

    with django_assert_max_num_queries(MOST_QUERIES):
        answer = as_alice.get(f"{LIST}{target.pk}/")

    assert len(answer.context["detail"].versions) == 20


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


# -- the connection test -------------------------------------------------------------------


def test_a_connection_that_works_shows_answer_and_latency(
    as_alice: Client, workspace: Workspace, model_server: ModelServer
) -> None:
    target = made(workspace, "openai_chat", base_url=model_server.base_url, model="m")

    answer = as_alice.post(f"{LIST}{target.pk}/test/")

    connection = answer.context["connection"]
    assert connection.answered
    assert connection.latency_ms is not None
    assert "It answers, in" in answer.content.decode()


def test_htmx_gets_the_connection_alone(as_alice: Client, workspace: Workspace) -> None:
    target = made(workspace)

    shown = as_alice.post(
        f"{LIST}{target.pk}/test/", headers={"hx-request": "true"}
    ).content.decode()

    assert shown.lstrip().startswith('<section id="connection"')
    assert "It answers" in shown


def test_a_connection_that_fails_says_why_and_what_to_do(
    as_alice: Client, workspace: Workspace
) -> None:
    address = f"http://127.0.0.1:{free_port()}/v1"
    target = made(workspace, "openai_chat", base_url=address, model="m")

    shown = as_alice.post(f"{LIST}{target.pk}/test/").content.decode()

    assert "No answer: service_unavailable" in shown
    assert "the server does not accept one" in shown
    assert "Check the address and that the server is running" in shown


def test_a_key_that_is_missing_is_named(as_alice: Client, workspace: Workspace) -> None:
    target = made(
        workspace,
        "openai_chat",
        base_url="http://127.0.0.1:1/v1",
        model="m",
        api_key_env="MODEL_OTHER_KEY",
    )

    shown = as_alice.post(f"{LIST}{target.pk}/test/").content.decode()

    assert "No answer: unauthorized" in shown
    assert "The environment variable MODEL_OTHER_KEY is not set on this server." in shown


def test_recorded_answers_have_nothing_to_test(as_alice: Client, workspace: Workspace) -> None:
    target = made(workspace, "recorded")

    shown = as_alice.post(f"{LIST}{target.pk}/test/").content.decode()

    assert "there is nothing to test" in shown


def test_a_server_that_echoes_the_key_does_not_bring_it_to_the_page(
    as_ada: Client,
    workspace: Workspace,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MODEL_TEST_KEY", SECRET)
    messages = [{"role": "user", "content": "[[echo_headers]] {{prompt}}"}]
    target = made(
        workspace,
        "http_json",
        url=f"{model_server.base_url}/chat/completions",
        headers={"Authorization": "Bearer ${env:MODEL_TEST_KEY}"},
        request_template={"messages": messages, "model": "m"},
        response_path="choices[0].message.content",
    )

    shown = as_ada.post(f"{LIST}{target.pk}/test/").content.decode()

    assert model_server.last_request()["headers"]["authorization"] == f"Bearer {SECRET}"
    assert "Bearer ***" in shown
    assert SECRET not in shown


# -- use -----------------------------------------------------------------------------------


def test_the_runs_that_asked_it_are_counted_and_linked(
    as_alice: Client, workspace: Workspace, alice: User
) -> None:
    run = queued_run(workspace, alice)
    target = run.targets.get().target_version.target
    services.edit_target(target=target, spec=spec("scripted", seed=7), by=None)

    answer = as_alice.get(f"{LIST}{target.pk}/")

    detail = answer.context["detail"]
    assert (detail.target.usage.asked, detail.target.usage.judged) == (1, 0)
    assert detail.target.usage.last_used_at == run.created_at
    assert [version.usage.asked for version in detail.versions] == [0, 1]
    assert f'<a href="/w/demo/runs/?target={target.pk}">1 run</a>' in answer.content.decode()
    assert "Never" not in page(as_alice, LIST)
