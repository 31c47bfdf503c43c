"""Regrades of answers that came with the data, and of sessions."""

import pytest
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.datasets.contracts import Options
from apps.datasets.models import DatasetVersion
from apps.grading.models import ContractVersion
from apps.runs.models import Attempt, Result, ResultStatus, Run, Score
from apps.runs.recorded.recording import recorded_run
from tests.datasets.documents import accepted
from tests.datasets.pairs import lines_of, uploaded
from tests.datasets.scenario_files import as_export, export, run, session
from tests.model_server import ModelServer
from tests.runs.conftest import MakeContract, Start, artifact, drain, statuses
from tests.runs.recorded.test_imported_scores import RESULT, SILENT

from .regraded import graded

# -- answers that came with the data --------------------------------------------------------


@pytest.fixture
def imported(workspace: Workspace) -> Run:
    """The recorded run of two result rows, of which one has an answer and scores."""
    upload = uploaded(workspace, lines_of(RESULT, SILENT), "results.jsonl")
    assert upload.version is not None
    return drain(recorded_run(upload.version, by=None, now=timezone.now()))


def test_imported_scores_stand_beside_the_computed_ones(
    imported: Run, never: ContractVersion
) -> None:
    child = graded(imported, never)

    assert statuses(child) == statuses(imported)
    told = ("rule", "value", "method", "verifier", "verdict")
    was = set(imported.scores.values_list(*told))
    found = set(child.scores.values_list(*told))
    assert was < found
    assert {rule for rule, *_rest in found - was} == {"never"}
    assert {verdict for *_rest, verdict in was} == {""}
    assert imported.scores.count() == len(was)


def test_an_imported_score_that_a_rule_computes_itself_gives_way(
    imported: Run, never: ContractVersion
) -> None:
    first = graded(imported, never)
    computed = first.scores.get(rule="never")
    result = imported.results.get(status="completed")
    Score.objects.create(
        run=imported,
        result=result,
        rule="never",
        method=computed.method,
        verifier=computed.verifier,
        value=1.0,
    )

    child = graded(imported, never)

    assert child.scores.get(rule="never").value == 0


def test_what_the_record_tells_of_its_session_is_seen_by_rules(
    workspace: Workspace, make_contract: MakeContract
) -> None:
    document = export(session(run(1), run(2, status="denied", capability_session_status="")))
    version = _version(workspace, as_export(document))
    recorded = drain(recorded_run(version, by=None, now=timezone.now()))
    rule = {"type": "status_equals", "name": "status", "expected": "denied"}

    child = graded(recorded, make_contract(rule, name="agents"))

    assert child.scores.get(rule="status").value == 1


def _version(workspace: Workspace, raw: bytes) -> DatasetVersion:
    upload = accepted(workspace, raw, options=Options(format="scenarios"))
    assert upload.version is not None, upload.outcome
    return upload.version


# -- sessions -------------------------------------------------------------------------------


def test_the_turns_of_a_session_are_carried_and_seen(
    workspace: Workspace, start: Start, make_contract: MakeContract, model_server: ModelServer
) -> None:
    made = sessions(workspace, start)
    asked = model_server.stats()["requests"]

    child = graded(made, make_contract({"type": "contains", "name": "said", "value": "Scripted"}))

    assert model_server.stats()["requests"] == asked
    assert child.results.get().extra == made.results.get().extra
    assert child.scores.get(rule="said").value == 1


def test_a_session_has_a_result_with_its_turns_and_an_attempt_for_each(
    workspace: Workspace, start: Start
) -> None:
    made = sessions(workspace, start)

    result = made.results.get()
    assert result.status == ResultStatus.COMPLETED
    assert [turn["user_input"] for turn in result.extra["turns"]] == ["Hello", "And now?"]
    assert result.response == "\n\n".join(t["output_text"] for t in result.extra["turns"])
    calls = Attempt.objects.filter(run=made).order_by("call").values_list("call", "number")
    assert list(calls) == [("1", 1), ("2", 1)]
    assert (result.attempts, Result.objects.count()) == (2, 1)
    row = artifact(made, "predictions.jsonl")[0]
    assert [turn["user_input"] for turn in row["turns"]] == ["Hello", "And now?"]


def sessions(workspace: Workspace, start: Start) -> Run:
    rows = [
        {
            "scenario_id": "talk",
            "labels": ["x"],
            "user_inputs": ["Hello", "And now?"],
            "expected_outcomes": {},
            "risk_class": "low",
        }
    ]
    return drain(start(version=_version(workspace, lines_of(*rows))))
