"""The audit log keeps what happened, as it was."""

import pytest
from django.db import models
from django.test import Client
from django.urls import reverse

from apps.accounts.models import AuditEvent, User, Workspace
from apps.accounts.services import record


@pytest.fixture
def event(workspace: Workspace, alice: User) -> AuditEvent:
    return record(
        workspace=workspace,
        actor=alice,
        verb="renamed",
        obj=workspace,
        changes={"name": ["Demo", "Trial"]},
        request_id="r-1",
    )


def test_an_event_says_who_did_what_to_which_object(event: AuditEvent, alice: User) -> None:
    kept = AuditEvent.objects.get(pk=event.pk)

    assert (kept.actor, kept.actor_label, kept.via) == (alice, "Alice", "page")
    assert (kept.verb, kept.object_type, kept.object_label) == (
        "renamed",
        "accounts.workspace",
        "Demo",
    )
    assert kept.kind == "workspace"
    assert kept.changes == {"name": ["Demo", "Trial"]}
    assert kept.request_id == "r-1"


def test_an_event_without_a_person_names_the_door(workspace: Workspace) -> None:
    event = record(workspace=workspace, actor=None, verb="made", obj=workspace, via="command")

    assert event.actor is None
    assert event.actor_label == "the command"


def test_an_event_keeps_the_name_that_the_actor_had(event: AuditEvent, alice: User) -> None:
    alice.first_name = "Alicia"
    alice.save()

    assert AuditEvent.objects.get(pk=event.pk).actor_label == "Alice"


def test_an_event_cannot_be_changed(event: AuditEvent) -> None:
    event.verb = "admired"

    with pytest.raises(TypeError, match="append-only"):
        event.save()
    with pytest.raises(TypeError, match="append-only"):
        AuditEvent.objects.update(verb="admired")


def test_an_event_cannot_be_deleted(event: AuditEvent) -> None:
    with pytest.raises(TypeError, match="append-only"):
        event.delete()
    with pytest.raises(TypeError, match="append-only"):
        AuditEvent.objects.all().delete()


def test_who_is_in_the_log_stays_in_the_database(event: AuditEvent, alice: User) -> None:
    alice.memberships.all().delete()

    with pytest.raises(models.ProtectedError):
        alice.delete()


def test_events_are_seen_by_members_of_their_workspace_only(
    event: AuditEvent, alice: User, charlie: User
) -> None:
    assert AuditEvent.objects.visible_to(alice).get() == event
    assert not AuditEvent.objects.visible_to(charlie).exists()


# -- the page -------------------------------------------------------------------------------


def test_the_page_shows_events_newest_first_a_page_at_a_time(
    workspace: Workspace, ada: User, as_ada: Client
) -> None:
    for number in range(60):
        record(workspace=workspace, actor=ada, verb=f"did-{number:02}", obj=workspace)
    address = reverse("accounts:audit", args=[workspace.slug])

    first = as_ada.get(address)
    second = as_ada.get(address, {"cursor": first.context["page"].older})

    verbs = [e.verb for e in [*first.context["page"].items, *second.context["page"].items]]
    assert verbs == [f"did-{number:02}" for number in reversed(range(60))]


def test_the_page_filters_by_actor_verb_and_object(
    workspace: Workspace, ada: User, alice: User, as_ada: Client
) -> None:
    record(workspace=workspace, actor=ada, verb="renamed", obj=workspace)
    record(workspace=workspace, actor=alice, verb="renamed", obj=alice)
    record(workspace=workspace, actor=alice, verb="archived", obj=workspace)
    address = reverse("accounts:audit", args=[workspace.slug])

    def found(**query: str) -> list[tuple[str, str]]:
        items = as_ada.get(address, query).context["page"].items
        return [(event.actor_label, event.verb) for event in items]

    assert found(actor="Alice") == [("Alice", "archived"), ("Alice", "renamed")]
    assert found(verb="renamed") == [("Alice", "renamed"), ("Ada", "renamed")]
    assert found(kind="accounts.user") == [("Alice", "renamed")]
    assert found(kind="accounts.workspace", object_id=str(workspace.pk), actor="Ada") == [
        ("Ada", "renamed")
    ]
    assert len(found(actor="nobody")) == 3


def test_htmx_gets_the_events_alone(workspace: Workspace, as_ada: Client) -> None:
    address = reverse("accounts:audit", args=[workspace.slug])

    fragment = as_ada.get(address, headers={"HX-Request": "true"}).content.decode()

    assert fragment.lstrip().startswith('<div id="events">')
