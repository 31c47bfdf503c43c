"""The pages of traces: who sees them, what they show, and that they show it as text."""

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.traces.models import Trace
from tests.datasets.scenario_files import event, log, scenario
from tests.traces.building import CHAT, EVENTS, a_trace, imported, scenarios

pytestmark = pytest.mark.django_db

LIST = "/w/demo/traces/"


@pytest.fixture(autouse=True)
def signed_in(client: Client, bob: User) -> None:
    client.force_login(bob)


def page(client: Client, address: str, **headers: str) -> str:
    answer = client.get(address, headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_list_shows_each_trace_with_its_facts(client: Client, workspace: Workspace) -> None:
    imported(workspace, CHAT, *EVENTS)

    shown = page(client, LIST)

    assert "chat-1" in shown
    assert "refund-1" in shown
    assert "Events 1.0" in shown


def test_an_empty_list_says_how_traces_come_here(client: Client, workspace: Workspace) -> None:
    shown = page(client, LIST)

    assert "No traces yet" in shown
    assert "evalhub trace import FILE" in shown
    assert "Import traces" not in shown


def test_a_lead_is_offered_to_import(client: Client, workspace: Workspace, alice: User) -> None:
    client.force_login(alice)

    assert "Import traces" in page(client, LIST)


def test_a_search_without_a_hit_leads_back(client: Client, workspace: Workspace) -> None:
    a_trace(workspace)

    assert "No trace found" in page(client, f"{LIST}?q=nothing")


def test_the_list_goes_on_by_pages(client: Client, workspace: Workspace) -> None:
    imported(workspace, *(log(f"chat-{number:03}") for number in range(60)))

    shown = page(client, LIST)

    assert shown.count('scope="row"') == 50
    assert 'rel="next"' in shown


def test_a_conversation_shows_its_messages_and_calls_as_text(
    client: Client, workspace: Workspace
) -> None:
    shown = page(client, f"{LIST}{a_trace(workspace).pk}/")

    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert "<script>alert" not in shown
    assert "find_order" in shown
    assert "&quot;order&quot;: &quot;A-7&quot;" in shown
    assert "Done: 40 €" in shown


def test_events_show_their_fields_and_what_was_redacted(
    client: Client, workspace: Workspace
) -> None:
    first = event(trace_id="run-1", payload={"input": "[REDACTED]"}, redacted_fields=["input"])
    trace = a_trace(workspace, first, event("run_failed", "run-1", payload={"<b>": "<i>late</i>"}))

    shown = page(client, f"{LIST}{trace.pk}/")

    assert "Redacted before it came here: input" in shown
    assert "&lt;i&gt;late&lt;/i&gt;" in shown
    assert "<i>late" not in shown


def test_the_steps_are_turned_by_pages_without_the_rest(
    client: Client, workspace: Workspace
) -> None:
    trace = a_trace(workspace, *(event("span", "long", payload={"n": str(n)}) for n in range(120)))
    address = f"{LIST}{trace.pk}/"
    cursor = page(client, address).partition("?cursor=")[2].partition('"')[0]

    fragment = page(client, f"{address}?cursor={cursor}", hx_request="true", hx_target="steps")

    assert fragment.count("<li") == 50
    assert '<span class="step-seq">51</span>' in fragment
    assert "About this trace" not in fragment


def test_a_trace_leads_to_the_records_that_it_is_of(client: Client, workspace: Workspace) -> None:
    version = scenarios(workspace, scenario(1)).version
    assert version is not None

    shown = page(client, f"{LIST}{a_trace(workspace).pk}/")

    assert f"/w/demo/datasets/versions/{version.pk}/records/0/" in shown


def test_a_workspace_that_redacts_shows_no_personal_data(
    client: Client, workspace: Workspace
) -> None:
    trace = a_trace(
        workspace,
        log(
            "chat-1",
            contact="dora@example.org",
            messages=[{"role": "user", "content": "I am dora@example.org"}],
        ),
    )
    Workspace.objects.filter(pk=workspace.pk).update(redacts_personal_data=True)

    shown = page(client, f"{LIST}{trace.pk}/")

    assert "dora@example.org" not in shown
    assert "[REDACTED:" in shown


def test_a_message_in_parts_is_shown_by_its_texts(client: Client, workspace: Workspace) -> None:
    parts = [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {}}, "end", 5]
    trace = a_trace(workspace, log("chat-1", messages=[{"role": "user", "content": parts}]))

    assert "Look:\n[image_url]\nend\n[part]" in page(client, f"{LIST}{trace.pk}/")


@pytest.mark.parametrize(
    "calls",
    [[{}], [{"function": 5}], [{"name": 5, "arguments": [1]}], [{"function": {"arguments": "{"}}]],
)
def test_odd_calls_are_shown_all_the_same(
    client: Client, workspace: Workspace, calls: list[dict[str, object]]
) -> None:
    trace = a_trace(workspace, log("chat-1", messages=[{"role": "assistant", "tool_calls": calls}]))

    assert "Calls" in page(client, f"{LIST}{trace.pk}/")


def test_nobody_sees_a_trace_of_another_workspace(
    client: Client, workspace: Workspace, charlie: User
) -> None:
    imported(Workspace.objects.get(slug="elsewhere"), CHAT)
    trace = Trace.objects.get()

    assert client.get(f"{LIST}{trace.pk}/").status_code == 404
    assert "chat-1" not in page(client, LIST)
