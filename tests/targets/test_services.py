from datetime import UTC, datetime

import pytest
from django.core.exceptions import ValidationError

from apps.accounts.models import AuditEvent, User, Workspace
from apps.targets import queries, services
from apps.targets.models import Target, TargetVersion
from tests.model_server import ModelServer

from .asking import free_port, spec

NOW = datetime(2026, 1, 15, tzinfo=UTC)


def made(workspace: Workspace, name: str = "model", by: User | None = None) -> Target:
    target = spec("scripted", seed=1)
    return services.create_target(workspace=workspace, name=name, spec=target, by=by)


def test_a_target_starts_with_version_one(workspace: Workspace, ada: User) -> None:
    target = made(workspace, " model ", by=ada)

    assert target.id.startswith("tgt_")
    assert target.name == "model"
    assert target.current.number == 1
    assert target.current.parsed == spec("scripted", seed=1)
    assert target.scripted
    assert target.label == "Scripted (no model answers)"


def test_the_same_spec_again_is_the_same_version(workspace: Workspace) -> None:
    target = made(workspace)

    version = services.edit_target(target=target, spec=spec("scripted", seed=1), by=None)

    assert version == target.current
    assert target.versions.count() == 1
    assert not AuditEvent.objects.filter(verb="edited").exists()


def test_another_spec_is_another_version_and_going_back_goes_back(workspace: Workspace) -> None:
    target = made(workspace)
    first = target.current

    second = services.edit_target(target=target, spec=spec("scripted", seed=2), by=None)
    back = services.edit_target(target=target, spec=spec("scripted", seed=1), by=None)

    target.refresh_from_db()
    assert (second.number, back) == (2, first)
    assert target.current == first
    assert target.versions.count() == 2


def test_a_version_never_changes(workspace: Workspace) -> None:
    version = made(workspace).current
    version.spec = "{}"

    with pytest.raises(TypeError, match="never changes"):
        version.save()


def test_a_name_is_taken_once_in_a_workspace(workspace: Workspace, charlie: User) -> None:
    made(workspace)
    elsewhere = Workspace.objects.get(slug="elsewhere")

    with pytest.raises(ValidationError, match="already"):
        made(workspace)
    assert made(elsewhere).name == "model"


def test_a_target_can_be_renamed_but_not_to_a_taken_name(workspace: Workspace) -> None:
    target, _other = made(workspace), made(workspace, "other")

    services.edit_target(target=target, spec=target.current.parsed, name="new", by=None)

    target.refresh_from_db()
    assert target.name == "new"
    with pytest.raises(ValidationError, match="already"):
        services.edit_target(target=target, spec=target.current.parsed, name="other", by=None)


def test_the_kind_of_a_target_stays(workspace: Workspace) -> None:
    target = made(workspace)

    with pytest.raises(ValidationError, match="add another target"):
        services.edit_target(target=target, spec=spec("recorded"), by=None)


def test_an_archived_target_is_offered_no_more_and_not_changed(
    workspace: Workspace, alice: User
) -> None:
    target = made(workspace)

    services.archive_target(target=target, by=alice, now=NOW)

    target.refresh_from_db()
    assert target.archived_at == NOW
    assert queries.targets_to_start(alice, workspace) == []
    with pytest.raises(ValidationError, match="archived"):
        services.edit_target(target=target, spec=spec("scripted", seed=2), by=None)


def test_a_restored_target_is_offered_again(workspace: Workspace, alice: User) -> None:
    target = made(workspace)
    services.archive_target(target=target, by=alice, now=NOW)

    services.restore_target(target=target, by=alice)

    assert [each.name for each in queries.targets_to_start(alice, workspace)] == ["model"]


def test_who_changed_what_is_kept(workspace: Workspace, ada: User) -> None:
    target = made(workspace, by=ada)

    services.edit_target(target=target, spec=spec("scripted", seed=2), by=ada, via="page")
    services.archive_target(target=target, by=ada, now=NOW)
    services.archive_target(target=target, by=ada, now=NOW)
    services.restore_target(target=target, by=ada)

    events = AuditEvent.objects.filter(object_id=target.pk).order_by("id")
    assert [event.verb for event in events] == ["created", "edited", "archived", "restored"]
    assert {event.actor for event in events} == {ada}
    assert events[1].changes["version"] == [1, 2]


def test_a_stranger_sees_no_targets(workspace: Workspace, alice: User, charlie: User) -> None:
    made(workspace)

    assert Target.objects.visible_to(alice).count() == 1
    assert TargetVersion.objects.visible_to(alice).count() == 1
    assert not Target.objects.visible_to(charlie).exists()
    assert not TargetVersion.objects.visible_to(charlie).exists()
    assert queries.targets_to_start(charlie, workspace) == []


def test_the_list_says_where_a_target_is_and_whether_it_is_scripted(
    workspace: Workspace, alice: User
) -> None:
    chat = spec("openai_chat", base_url="http://127.0.0.1:1/v1", model="m")
    services.create_target(workspace=workspace, name="chat", spec=chat, by=None)
    made(workspace)

    found = queries.targets_to_start(alice, workspace)

    assert [(each.name, each.where, each.scripted, each.version) for each in found] == [
        ("chat", "m at http://127.0.0.1:1/v1", False, 1),
        ("model", "", True, 1),
    ]


def test_a_connection_test_asks_once_and_tells_what_came(model_server: ModelServer) -> None:
    here = spec("openai_chat", base_url=model_server.base_url, model="m")
    gone = spec("openai_chat", base_url=f"http://127.0.0.1:{free_port()}/v1", model="m")

    answered, failed = services.test_connection(here), services.test_connection(gone)

    assert answered.text is not None
    assert failed.error_code == "service_unavailable"
    assert model_server.stats()["requests"] == 1


def test_a_connection_test_fills_in_what_a_template_asks_of_records(
    model_server: ModelServer,
) -> None:
    template = {"prompt": "{{prompt}}", "context": "{{record.input.context}}"}
    target = spec("http_json", url=f"{model_server.root}/answer", request_template=template)

    reply = services.test_connection(target)

    assert reply.error_code is None
    assert model_server.last_request()["body"]["context"] == "connection test"


def test_recorded_answers_have_no_connection_to_test() -> None:
    with pytest.raises(ValidationError, match="nothing to test"):
        services.test_connection(spec("recorded"))
