"""Grading again from the shell, over the API and on the page of a run; sessions on their page."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import AuditEvent, User, Workspace
from apps.grading.models import ContractVersion
from apps.grading.services import create_contract
from apps.grading.spec import ContractSpec
from apps.runs.beginning.naming import run_named
from apps.runs.models import Result, Run
from tests import samples
from tests.browser import NARROW, PageOpener, assert_accessible, screenshot, sign_in
from tests.commands import evalhub
from tests.runs import building
from tests.runs.conftest import JUDGE
from tests.runs.pages import Opener, words_of

NEVER = {"type": "contains", "name": "never", "value": "not in any answer"}
TURNS = [
    {
        "user_input": "Where is my order?",
        "output_text": "At the depot.",
        "latency_ms": 740,
        "input_tokens": 12,
        "output_tokens": 4,
        "total_tokens": 16,
        "cost": 0.0004,
        "status": "success",
        "tool_calls": [{"name": "find_order", "arguments": {"id": 7}, "result": "depot"}],
        "trace": [{"event_type": "run_start", "trace_id": "t1", "payload": {"a": "b"}}],
        "trace_id": "t1",
        "release_identity": "desk@2026.1",
    },
    {
        "user_input": "Then <b>cancel</b> it.",
        "output_text": "",
        "latency_ms": 30,
        "input_tokens": 3,
        "output_tokens": 0,
        "total_tokens": 3,
        "cost": None,
        "status": "failed",
        "failure_reason": "tool_timeout",
        "approvals": [{"approval_id": "a1", "status": "pending"}],
    },
]


def _contract(workspace: Workspace, name: str, *rules: dict[str, object]) -> ContractVersion:
    spec = ContractSpec.model_validate({"rules": list(rules)})
    made = create_contract(workspace=workspace, name=name, spec=spec, by=None, now=timezone.now())
    return made.versions.get()


@pytest.fixture
def never(workspace: Workspace) -> ContractVersion:
    return _contract(workspace, "never", NEVER)


@pytest.fixture
def talked(ended: Run) -> Run:
    """A run whose first result was given in two turns."""
    extra = {"model": "m", "finish_reason": "stop", "turns": TURNS}
    Result.objects.filter(run=ended, ordinal=0).update(extra=extra)
    return ended


# -- the shell ------------------------------------------------------------------------------


def test_the_answers_of_a_run_are_graded_again_from_the_shell(
    workspace: Workspace, never: ContractVersion
) -> None:
    parent = samples.ended_run(workspace)

    told = evalhub("regrade", parent.pk, "--contract", "never@1", "--wait", "--json")

    assert told.status == 0
    facts = told.facts
    assert (facts["kind"], facts["parent_run_id"]) == ("regrade", parent.pk)
    assert facts["contract"]["name"] == "never"
    assert facts["counts"]["failed_contract_records"] == 3


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--contract", "nothing"], "nothing"),
        (["--contract", "never", "--judge", "nobody"], "nobody"),
    ],
)
def test_what_the_shell_names_wrongly_is_named(
    workspace: Workspace, never: ContractVersion, options: list[str], sentence: str
) -> None:
    parent = samples.ended_run(workspace)

    told = evalhub("regrade", parent.pk, *options)

    assert told.status == 2
    assert sentence in told.err


def test_an_open_run_is_not_graded_again(workspace: Workspace, never: ContractVersion) -> None:
    told = evalhub("regrade", samples.started_run(workspace).pk, "--contract", "never")

    assert told.status == 2
    assert "wait until it has ended" in told.err


# -- the API --------------------------------------------------------------------------------


def test_a_program_starts_a_regrade_once(
    workspace: Workspace, alice: User, client: Client, never: ContractVersion
) -> None:
    parent, headers = samples.ended_run(workspace), samples.bearer_of(alice, workspace)
    address = f"/api/v1/runs/{parent.pk}/regrade?contract=never"

    first, second = (client.post(address, headers=headers) for _ in range(2))

    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json()["run_id"] == second.json()["run_id"]
    assert first.json()["kind"] == "regrade"
    assert first.json()["parent_run_id"] == parent.pk


def test_a_program_is_told_what_is_missing(
    workspace: Workspace, alice: User, client: Client
) -> None:
    parent, headers = samples.ended_run(workspace), samples.bearer_of(alice, workspace)
    _contract(workspace, "judged", JUDGE)

    answer = client.post(f"/api/v1/runs/{parent.pk}/regrade?contract=judged", headers=headers)

    assert answer.status_code == 400
    assert "choose the target that judges" in answer.json()["error"]["message"]


def test_the_api_gives_the_turns_of_a_session(
    workspace: Workspace, alice: User, client: Client, talked: Run
) -> None:
    headers = samples.bearer_of(alice, workspace)

    results = client.get(f"/api/v1/runs/{talked.pk}/results", headers=headers).json()["results"]

    assert results[0]["turns"] == TURNS
    assert results[1]["turns"] == []


# -- the pages ------------------------------------------------------------------------------


def test_the_page_of_a_run_offers_to_grade_its_answers_again(
    opened: Opener, ended: Run, workspace: Workspace
) -> None:
    address = reverse("runs:regrade", args=["demo", ended.pk])
    assert address in opened("detail", ended.pk)
    assert address not in opened("detail", building.running_run(workspace).pk)


def test_the_form_says_what_is_asked_and_starts_a_run_that_links_back(
    as_alice: Client, opened: Opener, ended: Run, never: ContractVersion
) -> None:
    page = words_of(opened("regrade", ended.pk))
    assert "Calls to the target 0" in page
    assert "Calls to judges 0" in page

    address = reverse("runs:regrade", args=["demo", ended.pk])
    answer = as_alice.post(address, {"contract": never.pk}, follow=True)

    child = Run.objects.get(kind=Run.Kind.REGRADE)
    assert answer.redirect_chain[-1][0] == reverse("runs:detail", args=["demo", child.pk])
    assert reverse("runs:detail", args=["demo", ended.pk]) in answer.content.decode()
    assert reverse("runs:detail", args=["demo", child.pk]) in opened("detail", ended.pk)
    assert child.contract_version == never


def test_the_estimate_follows_the_choice_and_says_that_a_judge_is_missing(
    as_alice: Client, ended: Run, judged: ContractVersion, never: ContractVersion
) -> None:
    address = reverse("runs:regrade", args=["demo", ended.pk])
    choice = {"action": "estimate", "contract": judged.pk}

    answer = as_alice.post(address, choice, headers={"hx-request": "true", "hx-target": "estimate"})

    page = words_of(answer.content.decode())
    assert "The judge is not chosen yet." in page
    assert "Calls to judges 0" not in page
    assert not Run.objects.filter(kind=Run.Kind.REGRADE).exists()


def test_a_judge_that_is_missing_is_said_in_the_form(
    as_alice: Client, ended: Run, judged: ContractVersion
) -> None:
    address = reverse("runs:regrade", args=["demo", ended.pk])

    answer = as_alice.post(address, {"contract": judged.pk})

    assert "choose the target that judges" in answer.content.decode()
    assert not Run.objects.filter(kind=Run.Kind.REGRADE).exists()


def test_a_run_that_goes_on_leads_back_to_its_page(as_alice: Client, workspace: Workspace) -> None:
    run = building.running_run(workspace)

    answer = as_alice.get(reverse("runs:regrade", args=["demo", run.pk]), follow=True)

    assert "wait until it has ended" in answer.content.decode()


def test_a_session_is_shown_as_the_conversation_that_it_was(opened: Opener, talked: Run) -> None:
    page = opened("record", talked.pk, 0)

    told = words_of(page)
    for text in (
        "Where is my order?",
        "find_order",
        "At the depot.",
        "tool_timeout",
        "desk@2026.1",
    ):
        assert text in told
    assert "Then &lt;b&gt;cancel&lt;/b&gt; it." in page
    assert "Response" not in told.partition("Conversation")[2].partition("Scores")[0]


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "look",
    [{"scheme": "light"}, {"scheme": "dark"}, {"scheme": "light", "width": NARROW}],
    ids=str,
)
def test_the_form_and_the_conversation_are_accessible(
    look: dict[str, object], open_page: PageOpener, alice: User, talked: Run
) -> None:
    page = open_page(**look)
    sign_in(page, alice)
    pages = {"regrade": "regrade/", "session": "records/0/"}

    for name, address in pages.items():
        answer = page.goto(f"/w/demo/runs/{talked.pk}/{address}")
        assert answer is not None
        assert answer.ok, name
        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        screenshot(page, f"{name}-{'-'.join(str(each) for each in look.values())}")


# -- told apart -----------------------------------------------------------------------------


def _regraded(workspace: Workspace, parent: Run, *options: str) -> Run:
    told = evalhub("regrade", parent.pk, "--contract", "never", "--wait", "--json", *options)
    assert told.status == 0, told.err
    return Run.objects.get(pk=told.facts["run_id"])


def test_a_regrade_is_named_by_what_it_grades_and_by_what(
    workspace: Workspace, never: ContractVersion
) -> None:
    parent = samples.ended_run(workspace, name="Nightly")

    child = _regraded(workspace, parent)
    grandchild = _regraded(workspace, child)

    assert child.name == grandchild.name == "Nightly, graded by never@1"


def test_a_long_name_is_cut_where_it_does_not_tell_runs_apart(
    workspace: Workspace, never: ContractVersion
) -> None:
    child = _regraded(workspace, samples.ended_run(workspace, name="n" * 200))

    assert len(child.name) == 200
    assert child.name.endswith("n, graded by never@1")


def test_a_regrade_without_a_contract_says_so(workspace: Workspace) -> None:
    parent = samples.ended_run(workspace, name="Nightly")

    told = evalhub("regrade", parent.pk, "--json")

    assert told.facts["name"] == "Nightly, graded by the rules of the data"


def test_a_regrade_can_be_given_a_name(
    workspace: Workspace, never: ContractVersion, as_alice: Client, ended: Run
) -> None:
    assert _regraded(workspace, samples.ended_run(workspace), "--name", "Strict").name == "Strict"

    address = reverse("runs:regrade", args=["demo", ended.pk])
    as_alice.post(address, {"contract": never.pk, "name": "Stricter"})

    assert Run.objects.get(parent=ended).name == "Stricter"


def test_a_program_can_name_a_regrade_and_is_told_what_is_too_long(
    workspace: Workspace, alice: User, client: Client, never: ContractVersion
) -> None:
    parent, headers = samples.ended_run(workspace), samples.bearer_of(alice, workspace)
    address = f"/api/v1/runs/{parent.pk}/regrade?contract=never&name="

    long = client.post(address + "n" * 201, headers=headers)
    named = client.post(f"{address}Strict", headers=headers)

    assert (long.status_code, named.status_code) == (400, 202)
    assert named.json()["name"] == "Strict"


def test_a_name_that_a_regrade_shares_is_that_of_the_run_with_the_answers(
    workspace: Workspace, never: ContractVersion
) -> None:
    parent = samples.ended_run(workspace, name="Nightly")
    _regraded(workspace, parent, "--name", "Nightly")
    alone = _regraded(workspace, parent, "--name", "Alone")

    assert run_named(workspace, "Nightly") == parent
    assert run_named(workspace, "Alone") == alone


def test_the_list_of_the_shell_says_which_runs_are_regrades(
    workspace: Workspace, never: ContractVersion
) -> None:
    parent = samples.ended_run(workspace, name="Nightly")
    _regraded(workspace, parent)

    listed = evalhub("runs").out.splitlines()

    assert listed[0].endswith("  Nightly, graded by never@1 (regrade)")
    assert listed[1].endswith("  Nightly")


def test_a_run_that_a_command_started_says_so(
    workspace: Workspace, never: ContractVersion, opened: Opener
) -> None:
    child = _regraded(workspace, samples.ended_run(workspace))

    event = AuditEvent.objects.get(verb="run.started.regrade", object_id=child.pk)
    assert (event.via, event.actor_label) == ("command", "the command")
    assert "Command line" in words_of(opened("detail", child.pk))
    assert "Command line" in words_of(opened("list"))


def test_the_page_of_a_regrade_shows_the_pass_rate_before_and_now(
    workspace: Workspace, never: ContractVersion, opened: Opener
) -> None:
    parent = samples.ended_run(workspace)

    child = _regraded(workspace, parent)

    line = "Pass rate before 100.0 % of 3, now 0.0 % of 3"
    assert line in words_of(opened("detail", child.pk))
    assert "Pass rate before" not in words_of(opened("detail", parent.pk))
