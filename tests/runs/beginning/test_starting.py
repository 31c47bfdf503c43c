"""Starting a run: what is frozen, what is refused, what is the same run again."""

from math import ceil
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from apps.accounts.models import AuditEvent, User, Workspace
from apps.grading.services import parse_spec, save_version
from apps.runs.beginning import starting
from apps.runs.beginning.answering import keep_answers
from apps.runs.beginning.follow_ups import follow_up
from apps.runs.models import Run, RunState, RunStep
from apps.targets.services import edit_target
from apps.targets.specs import ScriptedSpec
from tests.runs import building
from tests.runs.conftest import (
    EXACT,
    JUDGE,
    MakeContract,
    MakeTarget,
    MakeVersion,
    Start,
    drain,
    prepare,
)


def test_the_plan_names_everything_that_decides_what_the_run_does(
    start: Start, make_contract: MakeContract, make_version: MakeVersion
) -> None:
    version, contract = make_version(12), make_contract()

    run = start(version=version, contract=contract)

    assert run.plan["dataset"] == {
        "version": version.pk,
        "dataset_id": "sums",
        "dataset_version": "1",
        "format": "contract_v1",
        "records_sha256": version.records_sha256,
        "total": 12,
        "accepted": 12,
        "rejected": 0,
    }
    assert run.plan["contract"]["spec_sha256"] == contract.spec_sha256
    assert [(each["role"], each["name"]) for each in run.plan["targets"]] == [
        ("target", "assistant")
    ]
    assert run.plan["settings"]["max_attempts"] == 3
    assert run.plan["settings"]["backoff_seconds"] == [2.0, 6.0, 14.0]
    assert len(run.plan_sha256) == 64


def test_a_started_run_is_queued_and_its_first_step_waits(start: Start, alice: User) -> None:
    run = start(by=alice)

    assert run.state == RunState.QUEUED
    assert list(run.state_changes.values_list("seq", "state", "by")) == [
        (0, RunState.QUEUED, alice.pk)
    ]
    assert [step.name for step in run.steps.all()] == [RunStep.Name.PREPARE]
    assert AuditEvent.objects.filter(verb="run.started.fresh", object_id=run.pk).exists()


def test_starting_locks_the_contract_and_later_edits_are_another_version(
    start: Start, make_contract: MakeContract
) -> None:
    draft = make_contract()

    run = start(contract=draft)
    edited = save_version(
        contract=draft.contract,
        spec=parse_spec({"rules": [EXACT, {"type": "token_f1", "name": "words"}]}),
        by=None,
        now=timezone.now(),
    )

    draft.refresh_from_db()
    assert draft.locked_at is not None
    assert edited.number == 2
    assert run.contract_version_id == draft.pk


def test_a_run_keeps_the_spec_that_its_target_had_at_the_start(
    start: Start, make_target: MakeTarget
) -> None:
    target = make_target(canned={"What is 0 plus 1?": "before"})
    run = start(target=target)

    edit_target(target=target, spec=ScriptedSpec(wrong_rate=1), by=None)
    drain(run)

    assert run.results.get(ordinal=0).response == "before"


def test_the_same_idempotency_key_is_the_same_run(
    start: Start, make_version: MakeVersion, make_target: MakeTarget
) -> None:
    parts = {"version": make_version(), "target": make_target(), "idempotency_key": "ci-1"}

    first, second = start(**parts), start(**parts)

    assert first.pk == second.pk
    assert Run.objects.count() == 1
    assert RunStep.objects.count() == 1


def test_a_key_that_was_used_for_something_else_is_refused(
    start: Start, make_version: MakeVersion, make_target: MakeTarget
) -> None:
    version, target = make_version(20), make_target()
    first = start(version=version, target=target, idempotency_key="ci-1")

    with pytest.raises(starting.KeyTaken, match=first.pk):
        start(version=version, target=target, idempotency_key="ci-1", pilot=True)

    assert Run.objects.count() == 1


def test_without_a_key_the_same_order_is_another_run(
    start: Start, make_version: MakeVersion, make_target: MakeTarget
) -> None:
    version, target = make_version(), make_target()

    assert start(version=version, target=target).pk != start(version=version, target=target).pk


def test_a_pilot_is_of_the_first_ten_records(start: Start, make_version: MakeVersion) -> None:
    run = drain(start(version=make_version(25), pilot=True))

    assert (run.planned, run.total_records, run.valid_records) == (10, 10, 10)
    assert list(run.results.order_by("ordinal").values_list("ordinal", flat=True)) == [*range(10)]
    assert run.state == RunState.COMPLETED


def test_a_pilot_of_fewer_records_is_of_them_all(start: Start, make_version: MakeVersion) -> None:
    assert start(version=make_version(4), pilot=True).planned == 4


def test_a_version_without_an_accepted_record_is_refused(
    start: Start, workspace: Workspace
) -> None:
    version = building.make_version(workspace, records=0, rejected=3)

    with pytest.raises(ValidationError, match="no accepted record"):
        start(version=version)


def test_rules_that_ask_a_judge_need_one(
    start: Start, make_contract: MakeContract, make_target: MakeTarget
) -> None:
    nameless = make_contract(JUDGE)
    named = make_contract({**JUDGE, "judge": "solomon"}, name="named")
    target = make_target()

    with pytest.raises(ValidationError, match="choose the target that judges"):
        start(contract=nameless, target=target)
    with pytest.raises(ValidationError, match="no target has that name"):
        start(contract=named, target=target)


def test_the_default_judge_may_be_one_that_a_rule_names(
    start: Start, make_contract: MakeContract, make_target: MakeTarget
) -> None:
    solomon = make_target("solomon", plays="judge")
    contract = make_contract(JUDGE, {**JUDGE, "name": "again", "judge": "solomon"})

    run = drain(start(contract=contract, judge=solomon))

    judges = run.targets.filter(role="judge").order_by("is_default")
    assert [(row.name, row.is_default) for row in judges] == [
        ("solomon", False),
        ("solomon", True),
    ]
    assert run.scores.filter(value__isnull=False).count() == 20


def test_recorded_answers_from_a_file_need_the_file(start: Start, make_target: MakeTarget) -> None:
    with pytest.raises(ValidationError, match="give an answers file"):
        start(target=make_target(kind="recorded", source="answers"))


def test_answers_of_a_file_are_graded_and_records_without_one_fail(
    start: Start,
    make_target: MakeTarget,
    make_contract: MakeContract,
    workspace: Workspace,
    tmp_path: Path,
) -> None:
    lines = b'{"record_id": "q_0000", "response": "1"}\n{"record_id": "q_0001", "response": "7"}\n'
    answers = keep_answers(
        SimpleUploadedFile("mine.jsonl", lines), workspace=workspace, by=None, now=timezone.now()
    )

    run = drain(
        start(
            target=make_target(kind="recorded", source="answers"),
            contract=make_contract(),
            answers=answers,
        )
    )

    verdicts = run.results.order_by("ordinal").values_list("status", "cause", "verdict")
    assert list(verdicts[:3]) == [
        ("completed", "", "passed"),
        ("completed", "", "failed"),
        ("evaluation_error", "no_answer", ""),
    ]
    assert run.plan["answers"] == answers.identity
    assert run.state == RunState.COMPLETED_WITH_FAILURES


@pytest.mark.parametrize(
    ("concurrency", "workers", "judge"),
    [
        (1, 4, None),
        (3, 4, None),
        (5, 4, None),
        (64, 4, None),
        (512, 4, None),
        (64, 4, 1),
        (64, 4, 2),
        (512, 2, 1),
    ],
)
def test_the_concurrency_is_divided_so_that_nobody_is_asked_more_at_once(
    start: Start,
    make_target: MakeTarget,
    make_contract: MakeContract,
    settings: LazySettings,
    concurrency: int,
    workers: int,
    judge: int | None,
) -> None:
    settings.Q_CLUSTER = {**settings.Q_CLUSTER, "workers": workers}
    parts: dict[str, Any] = {"target": make_target(concurrency=concurrency)}
    if judge:
        parts |= {
            "judge": make_target("solomon", plays="judge", concurrency=judge),
            "contract": make_contract(JUDGE),
        }

    run = start(**parts)

    at_once = run.concurrency // run.slots
    assert 1 <= run.slots <= min(100, concurrency)
    assert at_once * run.slots <= run.concurrency <= concurrency
    assert at_once <= (judge or concurrency)
    assert run.slots >= min(100, ceil(concurrency / workers)) or judge is None


# -- follow-ups -----------------------------------------------------------------------------


def test_a_run_that_has_not_ended_has_no_follow_up(start: Start) -> None:
    run = start()

    with pytest.raises(ValidationError, match="queued; wait until it has ended"):
        follow_up(run, kind=Run.Kind.RETRY, by=None, now=timezone.now())


def test_a_follow_up_asks_the_same_by_the_same_rules(
    start: Start, make_contract: MakeContract, make_target: MakeTarget, make_version: MakeVersion
) -> None:
    parent = drain(
        start(
            version=make_version(20),
            target=make_target(planned_errors=[{"code": "invalid_response", "share": 0.5}]),
            contract=make_contract(JUDGE),
            judge=make_target("solomon", plays="judge"),
            name="nightly",
            note="with the new prompt",
            pilot=True,
            cost_cap=5.0,
        )
    )

    child = follow_up(parent, kind=Run.Kind.RETRY, by=None, now=timezone.now())

    same = ("dataset_version_id", "contract_version_id", "name", "note", "cost_cap", "planned")
    assert [getattr(child, name) for name in same] == [getattr(parent, name) for name in same]
    assert (child.kind, child.parent_id) == (Run.Kind.RETRY, parent.pk)
    assert child.plan["targets"] == parent.plan["targets"]
    assert child.plan["settings"] == parent.plan["settings"]


def test_preparing_is_what_comes_next(start: Start) -> None:
    assert prepare(start()).state == RunState.RUNNING
