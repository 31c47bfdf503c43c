"""Starting a run by its form: what it needs, what it estimates, that it starts once."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion, Upload
from apps.datasets.uploading.uploads import accept_document
from apps.grading.models import ContractVersion
from apps.jobs.models import JobState
from apps.runs.models import Run
from apps.targets.models import Target
from apps.targets.specs import ScriptedSpec
from tests.runs import building

pytestmark = pytest.mark.django_db

ADDRESS = "/w/demo/runs/start/"


def answers_file(*ids: str, name: str = "answers.jsonl") -> SimpleUploadedFile:
    lines = [json.dumps({"record_id": each, "response": "billing"}) for each in ids]
    return SimpleUploadedFile(name, "\n".join(lines).encode())


def post(client: Client, **values: Any) -> HttpResponse:
    answer: HttpResponse = client.post(ADDRESS, {"action": "start", **values})
    return answer


def text_of(answer: HttpResponse) -> str:
    return answer.content.decode()


def test_a_run_starts_with_all_that_was_chosen(
    as_alice: Client, alice: User, tickets: DatasetVersion, assistant: Target, workspace: Workspace
) -> None:
    contract = building.make_contract(workspace)

    answer = post(
        as_alice,
        version=tickets.pk,
        target=assistant.pk,
        contract=contract.pk,
        name="Pilot of v14",
        note="New prompt",
        pilot="on",
        cost_cap="2.5",
    )

    run = Run.objects.get()
    assert answer["Location"] == reverse("runs:detail", args=["demo", run.pk])
    assert (run.name, run.note, run.cost_cap) == ("Pilot of v14", "New prompt", 2.5)
    assert (run.planned, run.created_by) == (10, alice)
    assert run.contract_version is not None
    assert run.contract_version.locked_at is not None


def test_sending_the_form_twice_starts_one_run(
    as_alice: Client, tickets: DatasetVersion, assistant: Target
) -> None:
    form = {"version": tickets.pk, "target": assistant.pk, "idempotency_key": "k1"}

    first, second = post(as_alice, **form), post(as_alice, **form)

    assert Run.objects.count() == 1
    assert first["Location"] == second["Location"]


def test_a_form_changed_after_it_started_a_run_starts_another_one_when_sent_again(
    as_alice: Client, workspace: Workspace, tickets: DatasetVersion, assistant: Target
) -> None:
    post(as_alice, version=tickets.pk, target=assistant.pk, idempotency_key="k1")
    other = building.make_version(workspace, 3, name="other")

    answer = post(as_alice, version=other.pk, target=assistant.pk, idempotency_key="k1")

    assert answer.status_code == 200
    assert "another run" in text_of(answer)
    assert 'value="k1"' not in text_of(answer)
    assert Run.objects.count() == 1


def test_what_is_missing_is_said_at_the_top_and_at_its_field(as_alice: Client) -> None:
    page = text_of(post(as_alice))

    assert page.count("This field is required.") == 4
    assert 'href="#id_version"' in page


def test_a_contract_that_asks_a_judge_wants_one(
    as_alice: Client, tickets: DatasetVersion, assistant: Target, judged: ContractVersion
) -> None:
    page = text_of(post(as_alice, version=tickets.pk, target=assistant.pk, contract=judged.pk))

    assert "This contract asks a judge: choose the target that judges." in page
    assert not Run.objects.exists()


def test_the_judge_is_frozen_into_the_plan(
    as_alice: Client,
    workspace: Workspace,
    tickets: DatasetVersion,
    assistant: Target,
    judged: ContractVersion,
) -> None:
    judge = building.make_target(workspace, "judge", ScriptedSpec(plays="judge"))

    post(as_alice, version=tickets.pk, target=assistant.pk, contract=judged.pk, judge=judge.pk)

    parties = Run.objects.get().plan["targets"]
    assert [(party["role"], party["name"]) for party in parties] == [
        ("target", "assistant"),
        ("judge", "judge"),
    ]


def test_a_recorded_target_wants_its_answers_file(
    as_alice: Client, tickets: DatasetVersion, recorded: Target
) -> None:
    page = text_of(post(as_alice, version=tickets.pk, target=recorded.pk))

    assert "This target takes its answers from a file: give one." in page


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        (SimpleUploadedFile("a.jsonl", b"not json"), "Line 1: write a JSON object"),
        (answers_file("somebody-else"), "No record_id of the file is in tickets 1.1.0"),
        (answers_file("ticket-00000", "ticket-00000"), "Line 2: record ticket-00000 has an answer"),
    ],
)
def test_an_answers_file_that_cannot_serve_is_refused(
    file: SimpleUploadedFile,
    complaint: str,
    as_alice: Client,
    tickets: DatasetVersion,
    recorded: Target,
) -> None:
    file.seek(0)

    page = text_of(post(as_alice, version=tickets.pk, target=recorded.pk, answers=file))

    assert complaint in page
    assert not Run.objects.exists()


def test_an_answers_file_is_kept_once_and_no_worker_has_to_read_it(
    as_alice: Client, tickets: DatasetVersion, recorded: Target
) -> None:
    for _ in range(2):
        post(as_alice, version=tickets.pk, target=recorded.pk, answers=answers_file("ticket-00003"))

    upload = Upload.objects.get(purpose=Upload.Purpose.ANSWERS)
    assert upload.state == JobState.DONE
    assert upload.files.get().path == "answers.jsonl"
    assert {run.answers for run in Run.objects.all()} == {upload}


@pytest.mark.parametrize("cap", ["0", "-1", "nan", "inf", "much"])
def test_a_cost_cap_is_an_amount(
    cap: str, as_alice: Client, tickets: DatasetVersion, assistant: Target
) -> None:
    answer = post(as_alice, version=tickets.pk, target=assistant.pk, cost_cap=cap)

    assert answer.status_code == 200
    assert 'href="#id_cost_cap"' in text_of(answer)


def test_things_of_another_workspace_cannot_be_chosen(
    as_alice: Client, tickets: DatasetVersion, charlie: User
) -> None:
    elsewhere = charlie.memberships.get().workspace
    theirs = building.make_target(elsewhere, "theirs")

    page = text_of(post(as_alice, version=tickets.pk, target=theirs.pk))

    assert "Select a valid choice" in page
    assert not Run.objects.exists()


def test_a_dataset_page_may_choose_the_version(as_alice: Client, tickets: DatasetVersion) -> None:
    page = text_of(as_alice.get(f"{ADDRESS}?version={tickets.pk}"))

    assert f'<option value="{tickets.pk}" selected>' in page


def test_a_clone_is_filled_in_as_the_run_was(
    as_alice: Client, workspace: Workspace, judged: ContractVersion
) -> None:
    judge = building.make_target(workspace, "judge", ScriptedSpec(plays="judge"))
    run = building.queued_run(
        workspace,
        name="v13",
        pilot=True,
        cost_cap=1.5,
        contract=judged,
        judges={"": judge.current},
    )

    answer = as_alice.get(reverse("runs:clone", args=["demo", run.pk]), follow=True)

    page = text_of(answer)
    assert 'value="v13"' in page
    assert 'value="1.5"' in page
    assert f'<option value="{judge.pk}" selected>' in page
    assert f'<option value="{judged.pk}" selected>' in page


def test_judge_and_answers_are_asked_for_where_they_are_needed(
    as_alice: Client, assistant: Target, judged: ContractVersion, recorded: Target
) -> None:
    htmx = {"hx-request": "true", "hx-target": "needs"}

    needed = as_alice.post(
        ADDRESS,
        {"action": "needs", "contract": judged.pk, "target": recorded.pk},
        headers=htmx,
    )
    not_needed = as_alice.post(ADDRESS, {"action": "needs", "target": assistant.pk}, headers=htmx)

    before_noscript = text_of(needed).split("<noscript>")[0]
    assert 'name="judge"' in before_noscript
    assert 'name="answers"' in before_noscript
    assert 'name="judge"' not in text_of(not_needed).split("<noscript>")[0]


def test_estimating_starts_nothing_and_complains_about_nothing(
    as_alice: Client, tickets: DatasetVersion, assistant: Target
) -> None:
    answer = as_alice.post(
        ADDRESS,
        {"action": "estimate", "version": tickets.pk, "target": assistant.pk, "pilot": "on"},
    )

    assert "This field is required." not in text_of(answer)
    assert 'id="estimate"' in text_of(answer)
    assert not Run.objects.exists()


def test_a_connection_is_tested_without_starting(
    as_alice: Client, assistant: Target, recorded: Target
) -> None:
    htmx = {"hx-request": "true", "hx-target": "connection"}

    answered = as_alice.post(ADDRESS, {"action": "test", "target": assistant.pk}, headers=htmx)
    refused = as_alice.post(ADDRESS, {"action": "test", "target": recorded.pk}, headers=htmx)
    nobody = as_alice.post(ADDRESS, {"action": "test"}, headers=htmx)

    assert "Answered in" in text_of(answered)
    assert "there is nothing to test" in text_of(refused)
    assert "Choose a target first." in text_of(nobody)
    assert not Run.objects.exists()


@pytest.mark.django_db
def test_the_form_tells_of_the_rules_that_came_with_the_data(
    workspace: Workspace, alice: User, client: Client
) -> None:
    case = {"id": "a", "criteria": "Is kind.", "input": "Why?"}
    checked = {"id": "b", "input": "Why?", "assertions": [{"type": "is-json"}]}
    upload = accept_document(
        workspace=workspace,
        chunks=["\n".join(map(json.dumps, [case, checked])).encode()],
        filename="cases.jsonl",
        by=alice,
    )
    client.force_login(alice)

    page = client.post(
        reverse("runs:start", args=[workspace.slug]),
        {"action": "needs", "version": upload.version_id},
    ).content.decode()

    assert "Of its first 2 records, 2 bring rules of their own, 1 of them one that asks a" in page
    assert "For the rules that came with the data" in page
