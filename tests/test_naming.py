"""What a thing may be called: the same at every door."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import User, Workspace
from apps.datasets.contracts import Options
from apps.datasets.formats import FORMATS
from apps.datasets.models import Dataset
from apps.datasets.uploading import uploads
from apps.naming import shown_name, unfit_name
from apps.runs.beginning.follow_ups import follow_up
from apps.runs.models import Run
from tests.datasets.documents import document, record
from tests.labeling.building import a_campaign
from tests.runs import building
from tests.url_samples import EXACT, NO_HARM

TURNED = "abc\u202edef"
SENTENCE = "The name has U+202E (right-to-left override), which is not shown."


@pytest.mark.parametrize("code", ["202A", "202E", "2066", "2069", "200E", "200F", "061C", "FEFF"])
def test_what_sets_the_direction_of_text_is_named(code: str) -> None:
    assert f"U+{code} (" in unfit_name(f"a{chr(int(code, 16))}b")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a\0b", "The name has U+0000, which is not shown."),
        ("a\nb", "The name has U+000A, which is not shown."),
        ("a\x7fb", "The name has U+007F, which is not shown."),
        ("a\ud800b", "The name has U+D800, which is not shown."),
        ("a\u2028b", "The name has U+2028 (line separator), which is not shown."),
        ("a\ufffeb", "The name has U+FFFE, which is not shown."),
        ("  ", "The name has only blanks."),
        ("\u3164\u200d", "The name has only blanks."),
    ],
)
def test_what_nobody_sees_is_named(name: str, told: str) -> None:
    assert unfit_name(name) == told


@pytest.mark.parametrize(
    "name", ["", "Prüfung 3 – ✓", "评估", "تقييم", "می‌خواهم", "👩‍💻 run", "<b>x</b>", "a\xa0b"]
)
def test_every_script_and_emoji_may_be_a_name(name: str) -> None:
    assert unfit_name(name) == ""


def test_a_name_from_a_file_goes_without_what_is_not_shown() -> None:
    assert shown_name(f" {TURNED}\n") == "abcdef"
    assert shown_name("\u202e \u3164") == ""


API = [
    ("api:targets", {"name": TURNED, "spec": {"kind": "scripted"}}),
    ("api:contracts", {"name": TURNED, "spec": EXACT}),
    ("api:gate-policies", {"name": TURNED, "spec": NO_HARM}),
]


@pytest.mark.parametrize(("address", "body"), API)
def test_the_api_refuses_a_name_that_turns_text(
    client: Client, ada: User, address: str, body: dict[str, Any]
) -> None:
    client.force_login(ada)

    answer = client.post(reverse(address), body, content_type="application/json")

    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == SENTENCE


def test_the_api_refuses_it_for_a_dataset(client: Client, ada: User) -> None:
    client.force_login(ada)

    answer = client.post(
        reverse("api:datasets") + "?name=abc%E2%80%AEdef",
        document(record(0)),
        content_type="application/json",
    )

    assert answer.status_code == 400
    assert SENTENCE in answer.content.decode()
    assert not Dataset.objects.exists()


def test_a_dataset_that_names_itself_so_is_kept_without_it(workspace: Workspace) -> None:
    upload = uploads.accept_document(
        workspace=workspace,
        chunks=[FORMATS["pairs"].template],
        filename=f"{TURNED}.csv",
        by=None,
        options=Options(format="pairs"),
    )

    assert upload.version is not None
    assert upload.version.dataset.name == "abcdef"
    assert upload.name == "abcdef.csv"


def _pages(workspace: Workspace) -> list[tuple[str, dict[str, Any]]]:
    version = building.make_version(workspace, 1)
    target = building.make_target(workspace)
    return [
        ("runs:start", {"version": version.pk, "target": target.pk, "name": TURNED}),
        ("accounts:tokens", {"name": TURNED, "days": "30"}),
        ("targets:new", {"name": TURNED}),
        ("grading:import", {"name": TURNED, "text": "rules: []"}),
        ("analysis:gate-policy-new", {"name": TURNED}),
        ("datasets:upload", {"name": TURNED}),
    ]


def test_every_form_says_it_at_the_field(client: Client, ada: User, workspace: Workspace) -> None:
    client.force_login(ada)

    for address, form in _pages(workspace):
        page = client.post(reverse(address, args=[workspace.slug]) + "?kind=scripted", form)
        assert SENTENCE in page.content.decode(), address

    assert not Run.objects.exists()


def test_a_campaign_is_not_called_so(workspace: Workspace, alice: User) -> None:
    with pytest.raises(ValidationError, match=r"U\+202E"):
        a_campaign(workspace, alice, name=TURNED)


def test_the_commands_refuse_it(workspace: Workspace) -> None:
    building.make_version(workspace, 1, name="sums")
    building.make_target(workspace)

    with pytest.raises(CommandError, match=r"U\+202E"):
        call_command("run", "sums", "--target", "assistant", "--name", TURNED)
    with pytest.raises(CommandError, match=r"U\+202E"):
        call_command("user", "create", "dora", "--role", "lead", "--full-name", TURNED)


def test_a_person_and_a_workspace_are_not_called_so(ada: User) -> None:
    with pytest.raises(ValidationError, match=r"U\+202E"):
        services.update_profile(user=ada, values={"first_name": TURNED})
    with pytest.raises(ValidationError, match=r"U\+202E"):
        services.create_workspace(name=TURNED, admin=ada, now=timezone.now(), actor=ada)
    ada.refresh_from_db()
    assert ada.first_name == "Ada"


def test_a_run_that_was_called_so_before_can_still_be_resumed(workspace: Workspace) -> None:
    run = building.running_run(workspace)
    Run.objects.filter(pk=run.pk).update(name=TURNED, state="cancelled", completed_at=Now())
    run.refresh_from_db()

    again = follow_up(run, kind=Run.Kind.RESUME, by=None, now=timezone.now())

    assert again.name == "abcdef"
