from typing import Any

import pytest

from apps.accounts.models import Workspace
from apps.targets import services
from apps.targets.forms import form_for
from apps.targets.specs import SPEC_OF_KIND

from .asking import spec

CHAT = {"name": "gpt", "base_url": "http://127.0.0.1:1/v1", "model": "m"}


def filled(kind: str, **changes: Any) -> dict[str, Any]:
    """What a browser sends for an untouched form, with changes."""
    form = form_for(kind)()
    start = {name: form[name].value() for name in form.fields}
    return {name: "" if v is None else v for name, v in {**start, **changes}.items()}


@pytest.mark.parametrize("kind", list(SPEC_OF_KIND))
def test_every_setting_has_a_field_with_a_label(kind: str) -> None:
    form = form_for(kind)()

    assert set(form.fields) == {"name", *SPEC_OF_KIND[kind].model_fields} - {"kind"}
    assert all(field.label for field in form.fields.values())


def test_an_untouched_form_with_the_needed_fields_gives_the_defaults() -> None:
    form = form_for("openai_chat")(filled("openai_chat", **CHAT))

    assert form.is_valid(), form.errors
    assert form.spec == spec("openai_chat", base_url=CHAT["base_url"], model="m")
    assert form.cleaned_data["name"] == "gpt"


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("recorded", {"field": "metadata.response"}),
        ("http_json", {"url": "http://127.0.0.1:1/a", "headers": '{"X-Team": "eval"}'}),
        ("scripted", {"planned_errors": '[{"code": "timeout", "share": 0.1}]', "wrong_rate": "0"}),
    ],
)
def test_forms_of_the_other_kinds_are_read_too(kind: str, changes: dict[str, Any]) -> None:
    form = form_for(kind)(filled(kind, name="t", **changes))

    assert form.is_valid(), form.errors
    assert form.spec is not None
    assert form.spec.kind == kind


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"base_url": "http://169.254.169.254/v1"}, "base_url", "cloud metadata"),
        ({"base_url": ""}, "base_url", "required"),
        ({"concurrency": "9999"}, "concurrency", "less than or equal to 512"),
        ({"concurrency": "many"}, "concurrency", "whole number"),
        ({"api_key_env": "sk-123"}, "api_key_env", "never the key itself"),
        ({"extra_body": "[1]"}, "extra_body", "dictionary"),
        ({"extra_body": "{"}, "extra_body", "JSON"),
    ],
)
def test_an_error_stands_at_its_field(changes: dict[str, str], field: str, words: str) -> None:
    form = form_for("openai_chat")(filled("openai_chat", **{**CHAT, **changes}))

    assert not form.is_valid()
    assert list(form.errors) == [field]
    assert words in form.errors[field][0]


def test_what_concerns_the_whole_spec_stands_above() -> None:
    errors = '[{"code": "timeout", "share": 0.9}, {"code": "refused", "share": 0.9}]'

    form = form_for("scripted")(filled("scripted", name="t", planned_errors=errors))

    assert "more than 1" in form.non_field_errors()[0]


def test_the_form_of_a_version_saves_to_the_same_version(workspace: Workspace) -> None:
    chat = spec("openai_chat", base_url=CHAT["base_url"], model="m", extra_body={"a": [1]})
    target = services.create_target(workspace=workspace, name="gpt", spec=chat, by=None)
    unbound = form_for("openai_chat").of_version(target.current)
    sent = {name: unbound[name].value() or "" for name in unbound.fields}

    form = form_for("openai_chat")(sent)

    assert form.is_valid(), form.errors
    assert form.spec == chat
