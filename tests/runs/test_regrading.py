"""Regrades: a new run that judges the answers of another one, and asks its target nothing."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.datasets.contracts import Options
from apps.datasets.models import DatasetVersion
from apps.grading.models import ContractVersion
from apps.jobs import services as jobs
from apps.runs import chunks
from apps.runs.estimating import estimate
from apps.runs.items import Again, Finished
from apps.runs.models import Attempt, Chunk, Result, ResultStatus, Run, RunState, Score
from apps.runs.recording import recorded_run
from apps.runs.regrading import Regrade, order_for_regrade, regrade
from apps.targets.models import Target
from tests.datasets.documents import accepted
from tests.datasets.pairs import lines_of, uploaded
from tests.datasets.scenario_files import as_export, export, run, session
from tests.model_server import ModelServer

from .conftest import (
    EXACT,
    JUDGE,
    MakeContract,
    MakeTarget,
    MakeVersion,
    Start,
    again,
    artifact,
    drain,
    expire,
    lease_of,
    points,
    prepare,
    statuses,
    work_on,
)
from .test_imported_scores import RESULT, SILENT

NEVER = {"type": "contains", "name": "never", "value": "not in any answer"}
COLUMNS = (
    *("ordinal", "trial", "response", "latency_ms", "input_tokens", "output_tokens"),
    *("total_tokens", "cost", "attempts", "target_version", "first_attempt_at"),
    *("last_attempt_at", "extra"),
)


def graded(
    parent: Run, contract: ContractVersion | None, judge: Target | None = None, *, end: bool = True
) -> Run:
    child = regrade(Regrade(parent=parent, contract=contract, judge=judge), now=timezone.now())
    return drain(child) if end else child


@pytest.fixture
def never(make_contract: MakeContract) -> ContractVersion:
    """A contract that no answer passes."""
    return make_contract(NEVER, name="never")


@pytest.fixture
def parent(
    start: Start, make_version: MakeVersion, make_target: MakeTarget, make_contract: MakeContract
) -> Run:
    """A run of 20 sums that all pass, but for those that failed."""
    errors = [{"code": "invalid_response", "share": 0.3}]
    target = make_target(planned_errors=errors)
    made = drain(start(version=make_version(20), target=target, contract=make_contract()))
    assert 0 < statuses(made)["evaluation_error"] < 20
    return made


def test_the_answers_are_judged_anew_and_nobody_is_asked(
    parent: Run, never: ContractVersion
) -> None:
    child = graded(parent, never)

    assert child.kind == Run.Kind.REGRADE
    assert child.parent == parent
    assert child.contract_version == never
    answered = child.results.filter(status="completed")
    assert set(answered.values_list("verdict", "carried")) == {("failed", True)}
    assert set(child.scores.values_list("rule", flat=True)) == {"never"}
    assert not child.attempts.exists()


def test_an_answer_comes_with_all_that_was_measured_of_it(
    parent: Run, never: ContractVersion
) -> None:
    child = graded(parent, never)

    was = parent.results.order_by("ordinal", "trial").values_list(*COLUMNS)
    assert list(child.results.order_by("ordinal", "trial").values_list(*COLUMNS)) == list(was)


def test_what_has_no_answer_stays_as_it_is(parent: Run, never: ContractVersion) -> None:
    child = graded(parent, never)

    assert statuses(child) == statuses(parent)
    columns = ("ordinal", "status", "cause", "detail")
    was = parent.results.exclude(status="completed").order_by("ordinal")
    found = child.results.exclude(status="completed").order_by("ordinal")
    assert list(found.values_list(*columns)) == list(was.values_list(*columns))
    assert child.state == RunState.COMPLETED_WITH_FAILURES


def test_the_old_numbers_stay_and_the_new_run_has_artifacts_of_its_own(
    parent: Run, never: ContractVersion
) -> None:
    before = list(parent.results.order_by("pk").values_list())
    scores, seal = list(parent.scores.order_by("pk").values_list()), parent.bundle

    child = graded(parent, never)

    assert list(parent.results.order_by("pk").values_list()) == before
    assert list(parent.scores.order_by("pk").values_list()) == scores
    assert again(parent).bundle == seal
    assert child.bundle not in (None, seal)
    assert points(parent)["pass_rate"] == 1
    assert points(child)["pass_rate"] == 0
    assert artifact(child, "run_manifest.json")["parent_run_id"] == parent.pk
    assert artifact(child, "predictions.jsonl")[0]["carried"]


def test_a_regrade_of_a_regrade_judges_the_same_answers(
    parent: Run, never: ContractVersion, make_contract: MakeContract
) -> None:
    child = graded(parent, never)

    grandchild = graded(child, make_contract(EXACT, name="again"))

    assert grandchild.parent == child
    assert points(grandchild)["pass_rate"] == points(parent)["pass_rate"]
    assert statuses(grandchild) == statuses(parent)


def test_pressing_twice_starts_one_and_another_contract_another(
    parent: Run, never: ContractVersion, make_contract: MakeContract
) -> None:
    first, second = (graded(parent, never, end=False) for _ in range(2))
    other = graded(parent, make_contract(EXACT, name="again"), end=False)

    assert first == second
    assert other not in (first, parent)
    drain(first, other)
    assert graded(parent, never, end=False) != first


def test_a_run_that_goes_on_is_not_graded_again(start: Start, never: ContractVersion) -> None:
    with pytest.raises(ValidationError, match="wait until it has ended"):
        graded(start(), never)


def test_a_run_without_an_answer_is_not_graded_again(
    start: Start, make_target: MakeTarget, never: ContractVersion
) -> None:
    errors = [{"code": "refused", "share": 1.0}]
    run_ = drain(start(target=make_target(planned_errors=errors)))

    with pytest.raises(ValidationError, match="nothing to grade"):
        graded(run_, never)


def test_pilot_and_trials_are_those_of_the_parent(
    start: Start, make_version: MakeVersion, never: ContractVersion
) -> None:
    made = drain(start(version=make_version(30), pilot=True, trials=2))

    child = graded(made, never)

    assert child.plan["settings"]["pilot"] == made.plan["settings"]["pilot"]
    assert child.trials == 2
    assert child.results.filter(verdict="failed").count() == 20
    assert child.total_records == made.total_records


def test_without_a_contract_only_the_rules_of_the_data_count(parent: Run) -> None:
    child = graded(parent, None)

    assert set(child.results.filter(status="completed").values_list("verdict", flat=True)) == {""}
    assert not child.scores.exists()


def test_a_regrade_without_judges_takes_no_room_of_the_target(
    parent: Run, never: ContractVersion, start: Start
) -> None:
    child = prepare(graded(parent, never, end=False))
    Chunk.objects.filter(run=child).update(state="sent")
    other = prepare(
        start(version=parent.dataset_version, target=Target.objects.get(), name="beside")
    )

    assert child.slots == 0
    assert chunks.admits(other.chunks.first())


def test_no_secret_of_the_target_is_needed(
    start: Start,
    make_target: MakeTarget,
    model_server: ModelServer,
    never: ContractVersion,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MODEL_KEY", "s3cr3t-of-the-model")
    target = make_target(
        kind="openai_chat", base_url=model_server.base_url, api_key_env="MODEL_KEY"
    )
    made = drain(start(target=target))
    monkeypatch.delenv("MODEL_KEY")
    asked = model_server.stats()["requests"]

    child = graded(made, never)

    assert child.state == RunState.COMPLETED
    assert model_server.stats()["requests"] == asked


# -- judges ---------------------------------------------------------------------------------


@pytest.fixture
def judged(
    start: Start, make_target: MakeTarget, make_contract: MakeContract, model_server: ModelServer
) -> Any:
    """A run judged by a model of the test server."""

    def make(model: str = "judge", **more: Any) -> Run:
        solomon = make_target(
            "solomon", kind="openai_chat", base_url=model_server.base_url, model=model, **more
        )
        return drain(start(contract=make_contract(EXACT, JUDGE), judge=solomon))

    return make


def test_the_judge_is_that_of_the_parent_unless_another_is_chosen(
    judged: Any, make_contract: MakeContract, make_target: MakeTarget, model_server: ModelServer
) -> None:
    made = judged()
    contract = make_contract(JUDGE, name="judge alone")
    other = make_target(
        "other", kind="openai_chat", base_url=model_server.base_url, model="judge-2"
    )

    same, changed = graded(made, contract), graded(made, contract, other)

    names = [each.targets.get(role="judge").target_version.target.name for each in (same, changed)]
    assert names == ["solomon", "other"]
    assert same.attempts.filter(purpose="judge").count() == 10
    assert not same.attempts.filter(purpose="target").exists()


def test_an_answer_whose_judge_broke_is_judged_again(
    judged: Any, make_contract: MakeContract, never: ContractVersion
) -> None:
    made = judged("judge-broken-always")
    assert statuses(made) == {"evaluation_error": 10}

    child = graded(made, make_contract(EXACT, name="without judge"))

    assert statuses(child) == {"completed": 10}
    assert points(child)["pass_rate"] == 1


def test_a_judge_that_is_missing_is_named(parent: Run, make_contract: MakeContract) -> None:
    with pytest.raises(ValidationError, match="choose the target that judges"):
        graded(parent, make_contract(JUDGE, name="judge alone"), end=False)


def test_the_estimate_counts_judges_alone(judged: Any, make_contract: MakeContract) -> None:
    made = judged(price_input=1.0, price_output=1.0)

    found = estimate(order_for_regrade(Regrade(made, make_contract(JUDGE, name="judge alone"))))

    assert (found.target_calls, found.judge_calls) == (0, 10)
    assert found.cost is not None
    assert found.cost > 0


def test_the_cost_cap_of_the_parent_holds_for_judges(
    judged: Any, make_contract: MakeContract
) -> None:
    made = judged(price_input=1_000_000, price_output=1_000_000)
    Run.objects.filter(pk=made.pk).update(cost_cap=0.01)

    child = graded(again(made), make_contract(JUDGE, name="judge alone"))

    assert child.state in (RunState.CANCELLED, RunState.COMPLETED)
    assert "cost cap" in child.reason


# -- killed in the middle -------------------------------------------------------------------


def test_a_worker_that_dies_amid_a_regrade_loses_and_doubles_nothing(
    parent: Run, never: ContractVersion
) -> None:
    child = prepare(graded(parent, never, end=False))
    chunk = child.chunks.order_by("pk")[0]
    lease = lease_of(chunk)
    work = chunks.load(child, lease.job, lease)
    first, *rest = work.items
    work.sheet.add(Finished(first, "completed"))
    for item in rest:
        work.sheet.add(Again(item, 0.0))
    assert work.sheet.flush()
    expire(chunk)

    jobs.recover(Chunk)
    drain(child)

    assert statuses(child) == statuses(parent)
    assert child.results.count() == 20
    assert child.results.filter(verdict="failed").count() == child.scores.count()
    assert child.scores.count() == statuses(parent)["completed"] - 1  # the first had no rules


def test_preparing_twice_carries_once(parent: Run, never: ContractVersion) -> None:
    child = graded(parent, never, end=False)
    step = child.steps.get(name="prepare")
    work_on(step)
    child.steps.filter(pk=step.pk).update(state="pending", lease="", lease_until=None)

    work_on(step)
    drain(child)

    assert child.results.count() == 20


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
