"""One target over HTTP: its versions, its variables, its connection, its runs."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.targets import services
from tests.model_server import ModelServer
from tests.runs.building import queued_run

from .asking import free_port, spec
from .pages import LIST, MOST_QUERIES, NEW, SECRET, made, page
from .test_forms import filled

HOSTILE = "<script>alert(1)</script>\"'{{ 7|add:7 }}"


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

    assert "The target was not available" in shown
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

    assert "The target did not let us in" in shown
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
