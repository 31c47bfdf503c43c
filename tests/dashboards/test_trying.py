"""A contract tried on answers that are there: what its rules say, and nothing kept of it."""

import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.datasets.contracts import Options
from apps.grading import services
from apps.grading.documents import write_yaml
from apps.grading.models import GradingContract
from apps.grading.spec import ContractSpec
from apps.runs.models import Attempt, Result, Run, Score
from tests.datasets.documents import accepted
from tests.samples import ended_run, make_target, make_version

EXACT = {"type": "exact_match", "name": "exact"}
JUDGE = {"type": "criteria_judge", "name": "judge", "default_criteria": ["accuracy"]}


def spec(*rules: Any, **more: Any) -> ContractSpec:
    return ContractSpec.model_validate({"rules": list(rules), **more})


@pytest.fixture
def contract(workspace: Workspace) -> GradingContract:
    return services.create_contract(
        workspace=workspace, name="quality", spec=spec(EXACT), by=None, now=timezone.now()
    )


@pytest.fixture
def run(workspace: Workspace) -> Run:
    return ended_run(workspace, version=make_version(workspace, 12))


def tried(client: Client, contract: GradingContract, source: Any, **filled: Any) -> Any:
    """The page after its button was pressed; `spec` is the draft that is tried."""
    draft = filled.pop("spec", spec(EXACT))
    chosen = {"source": getattr(source, "pk", source), "action": "tried"}
    body = {"text": write_yaml(draft), **chosen, **filled}
    answer: HttpResponse = client.post(address(contract), body)
    assert answer.status_code == 200
    return answer


def address(contract: GradingContract) -> str:
    return f"/w/demo/contracts/{contract.pk}/try/"


def outcomes(answer: Any) -> list[str]:
    return [each.judgment.outcome for each in answer.context["shown"]]


def test_the_first_ten_answers_of_a_run_are_judged_by_the_draft(
    as_alice: Client, contract: GradingContract, run: Run
) -> None:
    right = tried(as_alice, contract, run)
    wrong = tried(as_alice, contract, run, spec=spec({**EXACT, "expected": "nothing like it"}))

    assert outcomes(right) == ["passed"] * 10
    assert outcomes(wrong) == ["failed"] * 10
    assert "This is your draft." in wrong.content.decode()
    assert "This is your draft." not in right.content.decode()


def test_chosen_records_are_judged_and_those_not_there_are_named(
    as_alice: Client, contract: GradingContract, run: Run
) -> None:
    ids = list(run.dataset_version.records.order_by("ordinal").values_list("record_id", flat=True))

    answer = tried(as_alice, contract, run, records=f"{ids[11]}, {ids[3]}\nnobody")

    assert [each.item.record_id for each in answer.context["shown"]] == [ids[3], ids[11]]
    assert "Not among these answers:" in answer.content.decode()
    assert "nobody" in answer.content.decode()


def test_answers_that_came_with_a_dataset_are_judged(
    as_alice: Client, alice: User, workspace: Workspace, contract: GradingContract
) -> None:
    pairs = [
        {"id": "q1", "query": "Is it?", "response": "Yes."},
        {"id": "q2", "query": "Was it?", "response": "No."},
    ]
    upload = accepted(workspace, json.dumps(pairs).encode(), alice, options=Options(format="pairs"))
    assert upload.version is not None, upload.outcome

    answer = tried(as_alice, contract, upload.version, spec=spec({**EXACT, "expected": "Yes."}))

    assert outcomes(answer) == ["passed", "failed"]


def test_nothing_is_kept(as_alice: Client, contract: GradingContract, run: Run) -> None:
    counted = [model.objects.count() for model in (Run, Result, Score, Attempt)]

    tried(as_alice, contract, run)

    assert [model.objects.count() for model in (Run, Result, Score, Attempt)] == counted
    assert contract.versions.get().parsed == spec(EXACT)


def test_a_judge_is_only_asked_when_its_button_is_pressed(
    as_alice: Client, workspace: Workspace, contract: GradingContract, run: Run
) -> None:
    judge = make_target(workspace, "judge", plays="judge")

    before = tried(as_alice, contract, run, spec=spec(JUDGE), judge=judge.pk)
    asked = tried(as_alice, contract, run, spec=spec(JUDGE), judge=judge.pk, action="ask")

    assert all(each.waits for each in before.context["shown"])
    assert "Waits for a judge" in before.content.decode()
    assert "Ask the judge: 5 questions" in before.content.decode()
    heard = [each for each in asked.context["shown"] if each.heard]
    assert len(heard) == 5
    assert all(each.judgment.scores[0].value is not None for each in heard)
    assert asked.context["problem"] == ""


def test_a_judge_that_nobody_chose_or_that_is_not_there_is_told(
    as_alice: Client, contract: GradingContract, run: Run
) -> None:
    nobody = tried(as_alice, contract, run, spec=spec(JUDGE), action="ask")
    missing = tried(as_alice, contract, run, spec=spec({**JUDGE, "judge": "hal"}), action="ask")

    assert "Choose the target that judges." in nobody.content.decode()
    assert "A rule asks the judge hal, but no target has that name." in missing.content.decode()


def test_the_editors_form_arrives_as_a_draft(
    as_alice: Client, contract: GradingContract, run: Run
) -> None:
    body = {"text": write_yaml(spec(JUDGE)), "action": "try", "shown": "yaml"}

    shown = as_alice.post(address(contract), body).content.decode()

    assert "type: criteria_judge" in shown
    assert "This is your draft." in shown
    assert "Back to the editor" in shown


def test_a_draft_that_is_no_contract_is_not_tried(
    as_alice: Client, contract: GradingContract, run: Run
) -> None:
    body = {"text": "rules: []", "action": "tried", "source": run.pk}

    shown = as_alice.post(address(contract), body).content.decode()

    assert "The draft is no contract yet." in shown


def test_without_answers_the_page_says_where_they_come_from(
    as_alice: Client, contract: GradingContract
) -> None:
    assert "No answers yet" in as_alice.get(address(contract)).content.decode()


@pytest.mark.parametrize(
    ("source", "records", "said"),
    [
        ("run_of_somebody_else", "", "Select a valid choice"),
        (None, " ".join(f"q{n}" for n in range(21)), "These are 21 records; 20 at most."),
    ],
    ids=["source", "records"],
)
def test_what_cannot_be_chosen_is_refused_at_its_field(
    as_alice: Client,
    contract: GradingContract,
    run: Run,
    source: str | None,
    records: str,
    said: str,
) -> None:
    answer = tried(as_alice, contract, source or run, records=records)

    assert said in answer.content.decode()
    assert answer.context["shown"] == []


def test_runs_of_another_workspace_are_not_offered(
    as_alice: Client, contract: GradingContract, run: Run
) -> None:
    elsewhere = Workspace.objects.create(slug="elsewhere", name="Elsewhere")
    other = ended_run(elsewhere)

    answer = tried(as_alice, contract, other)

    assert "Select a valid choice" in answer.content.decode()


def test_a_reviewer_does_not_try(client: Client, bob: User, contract: GradingContract) -> None:
    client.force_login(bob)

    assert client.get(address(contract)).status_code == 403


def test_hostile_answers_stay_text(
    as_alice: Client, alice: User, workspace: Workspace, contract: GradingContract
) -> None:
    hostile = "<script>alert(1)</script>"
    content = json.dumps([{"id": hostile, "query": hostile, "response": hostile}])
    upload = accepted(workspace, content.encode(), alice, options=Options(format="pairs"))
    assert upload.version is not None, upload.outcome

    shown = tried(as_alice, contract, upload.version).content.decode()

    assert "<script>alert" not in shown
