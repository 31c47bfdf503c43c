import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.accounts.models import AuditEvent, Workspace
from apps.targets.models import Target
from tests.model_server import ModelServer

CHAT = ["--kind", "openai_chat", "--base-url", "http://127.0.0.1:1/v1", "--model", "m"]


def run(*words: str) -> str:
    out = io.StringIO()
    call_command("target", *words, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def as_json(*words: str) -> Any:
    return json.loads(run(*words, "--json"))


def test_a_target_is_added_with_its_settings(workspace: Workspace) -> None:
    facts = as_json(
        "add", "gpt", *CHAT, "--api-key-env", "MODEL_KEY", "--concurrency", "64",
        "--temperature", "0", "--max-new-tokens", "10", "--extra-body", '{"a": 1}',
    )  # fmt: skip

    target = Target.objects.get(workspace=workspace, name="gpt")
    assert facts["outcome"] == "added"
    assert (facts["id"], facts["version"], facts["workspace"]) == (target.pk, 1, "demo")
    assert facts["spec"]["concurrency"] == 64
    assert facts["spec"]["temperature"] == 0
    assert facts["spec"]["extra_body"] == {"a": 1}
    assert AuditEvent.objects.get(object_id=target.pk).via == "command"


def test_adding_it_again_changes_nothing_and_other_settings_make_a_version(
    workspace: Workspace,
) -> None:
    run("add", "gpt", *CHAT)

    again = as_json("add", "gpt", *CHAT)
    changed = as_json("add", "gpt", *CHAT, "--seed", "7")

    assert (again["outcome"], again["version"]) == ("unchanged", 1)
    assert (changed["outcome"], changed["version"]) == ("changed", 2)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--base-url", "ftp://h"], "--base-url: Write a full address"),
        (["--concurrency", "0"], "--concurrency: Input should be greater than or equal to 1"),
        (["--wrong-rate", "1"], "--wrong-rate: This kind of target has no such setting."),
        (["--api-key-env", "sk-verysecret"], "--api-key-env: Name an environment variable"),
        (["--extra-body", "{"], "--extra-body: write this as JSON."),
        (["--workspace", "nowhere"], "no workspace “nowhere”"),
    ],
)
def test_a_wrong_value_is_one_sentence_that_names_the_flag(
    workspace: Workspace, words: list[str], sentence: str
) -> None:
    with pytest.raises(CommandError) as refused:
        run("add", "gpt", *CHAT, *words)

    assert sentence in str(refused.value)
    assert "verysecret" not in str(refused.value)
    assert not Target.objects.exists()


def test_what_is_missing_is_named(workspace: Workspace) -> None:
    with pytest.raises(CommandError, match="--model: This is needed"):
        run("add", "gpt", "--kind", "openai_chat", "--base-url", "http://127.0.0.1:1/v1")


def test_the_list_names_kind_and_place(workspace: Workspace) -> None:
    run("add", "gpt", *CHAT)
    run("add", "demo", "--kind", "scripted")

    lines = run("list").splitlines()

    assert lines[0].split() == ["demo", "v1", "Scripted", "(no", "model", "answers)"]
    assert "m at http://127.0.0.1:1/v1" in lines[1]
    assert [facts["name"] for facts in as_json("list")] == ["demo", "gpt"]


def test_a_connection_is_tested(workspace: Workspace, model_server: ModelServer) -> None:
    run("add", "up", "--kind", "openai_chat", "--base-url", model_server.base_url, "--model", "m")
    run("add", "down", *CHAT)

    assert "up answered in" in run("test", "up")
    assert as_json("test", "up")["error_code"] is None
    with pytest.raises(CommandError, match="down: service_unavailable"):
        run("test", "down")
    with pytest.raises(CommandError, match="There is no target “gone”"):
        run("test", "gone")
