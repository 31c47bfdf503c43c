"""Targets over the API: added, changed, tested and listed, with errors by setting."""

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from apps.accounts.models import AuditEvent, User, Workspace
from apps.targets import services
from apps.targets.models import Target
from tests.model_server import ModelServer

from .asking import free_port, spec

URL = "/api/v1/targets"
SCRIPTED = {"kind": "scripted", "seed": 1}
SECRET = "sk-test-4f9c2e71d0a84b7f"


@pytest.fixture
def target(workspace: Workspace) -> Target:
    return services.create_target(
        workspace=workspace, name="model", spec=spec("scripted", seed=1), by=None
    )


def post(client: Client, address: str, **body: Any) -> HttpResponse:
    answer: HttpResponse = client.post(address, body, content_type="application/json")
    return answer


def patch(client: Client, address: str, **body: Any) -> HttpResponse:
    answer: HttpResponse = client.patch(address, body, content_type="application/json")
    return answer


def test_a_target_is_added_and_read(as_ada: Client, ada: User, workspace: Workspace) -> None:
    answer = post(as_ada, URL, name="model", spec=SCRIPTED)

    target = workspace.targets.get()
    body = answer.json()
    assert answer.status_code == 201
    assert (body["id"], body["version"], body["scripted"]) == (target.pk, 1, True)
    assert body["spec"]["seed"] == 1
    assert as_ada.get(f"{URL}/{target.pk}").json() == body
    event = AuditEvent.objects.get(object_id=target.pk)
    assert (event.actor, event.via, event.request_id) == (ada, "api", answer["x-request-id"])


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({"spec": SCRIPTED}, "name", "required"),
        ({"name": "x"}, "spec", "required"),
        ({"name": "x", "spec": []}, "spec", "Give an object with `kind`."),
        ({"name": "x", "spec": {"kind": "oracle"}}, "spec", "'kind'"),
        ({"name": "x", "spec": {"kind": "scripted", "sead": 1}}, "spec", "no such setting"),
        (
            {"name": "x", "spec": {"kind": "http_json", "url": "http://169.254.169.254/"}},
            "spec",
            "cloud metadata",
        ),
    ],
)
def test_what_is_wrong_is_said_by_its_setting(
    as_ada: Client, workspace: Workspace, body: dict[str, Any], field: str, words: str
) -> None:
    answer = post(as_ada, URL, **body)

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "invalid_request")
    assert words in str(error["details"]["fields"][field])
    assert error["message"].startswith(f"{field}: ")
    assert not workspace.targets.exists()


def test_a_name_that_is_taken_is_refused(as_ada: Client, target: Target) -> None:
    answer = post(as_ada, URL, name="model", spec=SCRIPTED)

    assert answer.status_code == 400
    assert "There is a target “model” already" in answer.json()["error"]["message"]


def test_another_spec_is_another_version_and_the_same_is_not(
    as_ada: Client, target: Target
) -> None:
    address = f"{URL}/{target.pk}"

    numbers = [
        patch(as_ada, address, spec={"kind": "scripted", "seed": seed}).json()["version"]
        for seed in (2, 2, 1)
    ]

    assert numbers == [2, 2, 1]
    assert target.versions.count() == 2


def test_a_target_is_renamed_alone(as_ada: Client, target: Target) -> None:
    body = patch(as_ada, f"{URL}/{target.pk}", name="renamed").json()

    assert (body["name"], body["version"]) == ("renamed", 1)


def test_a_spec_of_another_kind_is_another_target(as_ada: Client, target: Target) -> None:
    answer = patch(as_ada, f"{URL}/{target.pk}", spec={"kind": "recorded"})

    assert answer.status_code == 400
    assert "add another target" in answer.json()["error"]["message"]


def test_the_list_is_paged_and_leaves_out_what_is_archived(
    as_ada: Client, workspace: Workspace, django_assert_max_num_queries: Any
) -> None:
    for number in range(55):
        services.create_target(
            workspace=workspace, name=f"t{number:02}", spec=spec("scripted"), by=None
        )
    workspace.targets.filter(name="t00").update(archived_at="2026-01-01T00:00:00Z")

    with django_assert_max_num_queries(12):
        first = as_ada.get(URL).json()
    second = as_ada.get(URL, {"cursor": first["next"]}).json()
    archived = as_ada.get(URL, {"archived": "true"}).json()

    names = [row["name"] for row in [*first["results"], *second["results"]]]
    assert names == [f"t{number:02}" for number in range(1, 55)]
    assert (first["previous"], second["next"]) == (None, None)
    assert [row["name"] for row in archived["results"]] == ["t00"]


def test_a_connection_test_answers_with_what_the_target_said(
    as_ada: Client, workspace: Workspace, model_server: ModelServer
) -> None:
    chat = spec("openai_chat", base_url=model_server.base_url, model="m")
    target = services.create_target(workspace=workspace, name="chat", spec=chat, by=None)

    body = as_ada.post(f"{URL}/{target.pk}/test").json()

    assert body["answered"] is True
    assert body["text"]
    assert body["latency_ms"] >= 0
    assert body["error_code"] is None


def test_a_failed_connection_test_says_what_to_do_and_no_secret(
    as_ada: Client, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_TEST_KEY", SECRET)
    address = f"http://127.0.0.1:{free_port()}/v1"
    chat = spec("openai_chat", base_url=address, model="m", api_key_env="MODEL_TEST_KEY")
    target = services.create_target(workspace=workspace, name="chat", spec=chat, by=None)

    tested = as_ada.post(f"{URL}/{target.pk}/test")
    read = as_ada.get(f"{URL}/{target.pk}")

    body = tested.json()
    assert (tested.status_code, body["answered"]) == (200, False)
    assert body["error_code"] == "service_unavailable"
    assert "the server is running" in body["advice"]
    assert SECRET not in tested.content.decode() + read.content.decode()


def test_recorded_answers_have_nothing_to_test(as_ada: Client, workspace: Workspace) -> None:
    recorded = spec("recorded")
    target = services.create_target(workspace=workspace, name="r", spec=recorded, by=None)

    answer = as_ada.post(f"{URL}/{target.pk}/test")

    assert answer.status_code == 400
    assert "nothing to test" in answer.json()["error"]["message"]
