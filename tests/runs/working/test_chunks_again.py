"""One chunk: what fails for now waits in a later one, and what takes too long or surprises."""

import asyncio
from typing import Any

import pytest
from django.utils import timezone

from apps.jobs import services as jobs
from apps.jobs.leases import claim
from apps.jobs.models import JobState
from apps.runs.engine.evaluating import Evaluator
from apps.runs.engine.items import PaceBroke, Party
from apps.runs.models import Chunk, Run, RunState
from apps.runs.working import chunks
from apps.runs.working.loading import load
from apps.targets.contracts import Ask, Reply
from tests.runs.conftest import (
    JUDGE,
    MakeContract,
    MakeTarget,
    MakeVersion,
    Start,
    again,
    drain,
    expire,
    lease_of,
    pass_time,
    prepare,
    statuses,
    work_on,
)


def always(code: str, **more: Any) -> list[dict[str, Any]]:
    return [{"code": code, "share": 1.0, **more}]


# -- what fails for now ---------------------------------------------------------------------


def test_what_fails_for_now_waits_in_a_later_chunk_and_no_worker_sleeps(
    start: Start, make_target: MakeTarget
) -> None:
    target = make_target(planned_errors=always("timeout"), concurrency=32)
    run = prepare(start(target=target))

    for chunk in list(run.chunks.all()):
        work_on(chunk)

    later = list(run.chunks.filter(state=JobState.PENDING))
    assert sorted(item[0] for chunk in later for item in chunk.items) == [*range(10)]
    for chunk in later:
        wait = (chunk.not_before - chunk.created_at).total_seconds()
        assert 0.5 <= wait <= 2.45
    assert again(run).state == RunState.RETRYING


def test_a_later_chunk_remembers_the_attempts(start: Start, make_target: MakeTarget) -> None:
    target = make_target(planned_errors=always("rate_limited"), concurrency=32)
    run = drain(start(target=target))

    assert statuses(run) == {"evaluation_error": 10}
    assert set(run.results.values_list("cause", "attempts")) == {("rate_limited", 3)}
    numbers = run.attempts.order_by("ordinal", "number").values_list("ordinal", "number")
    assert list(numbers) == [(o, n) for o in range(10) for n in (1, 2, 3)]
    assert run.state == RunState.COMPLETED_WITH_FAILURES
    moments = run.results.values_list("first_attempt_at", "last_attempt_at")
    assert all(first and last and first < last for first, last in moments)


def test_a_run_goes_between_running_and_retrying(start: Start, make_target: MakeTarget) -> None:
    target = make_target(planned_errors=always("timeout", attempts=1), concurrency=32)
    run = prepare(start(target=target))
    for chunk in list(run.chunks.all()):
        work_on(chunk)

    drain(run)

    states = list(run.state_changes.values_list("state", flat=True))
    assert states[:4] == ["queued", "validating", "running", "retrying"]
    assert states[-2:] == ["finalizing", "completed"]


def test_records_that_are_due_together_wait_together(start: Start, make_target: MakeTarget) -> None:
    target = make_target(
        planned_errors=always("rate_limited", retry_after_ms=60_000), concurrency=32
    )
    run = prepare(start(target=target))
    first = run.chunks.count()

    for chunk in list(run.chunks.all()):
        work_on(chunk)

    later = run.chunks.filter(state=JobState.PENDING)
    assert later.count() == first
    for chunk in later:
        wait = (chunk.not_before - timezone.now()).total_seconds()
        assert 50 < wait <= 60


def test_what_waits_survives_the_death_of_its_worker(
    start: Start, make_version: MakeVersion, make_target: MakeTarget, make_contract: MakeContract
) -> None:
    """Its answer came, its judge is busy, and then the worker is gone: nobody asks again."""
    run = prepare(
        start(
            version=make_version(1),
            contract=make_contract(JUDGE),
            judge=make_target("solomon", plays="judge", planned_errors=always("timeout")),
        )
    )
    chunk = run.chunks.get()
    lease = lease_of(chunk)
    work = load(run, chunk, lease)

    async def ask_and_flush() -> None:
        async with work.evaluator() as evaluator:
            work.sheet.add(await evaluator.evaluate(work.items[0]))

    asyncio.run(ask_and_flush())
    work.sheet.flush()
    expire(chunk)

    second = load(run, again(chunk), lease_of(chunk))

    held = second.items[0].held
    assert held.reply is not None
    assert held.reply.text == "1"
    assert (held.target_attempts, sum(held.judge_attempts.values())) == (1, 1)


def test_an_answer_survives_the_death_of_its_worker_while_it_is_judged(
    start: Start, make_version: MakeVersion, make_target: MakeTarget, make_contract: MakeContract
) -> None:
    slow = make_target("solomon", plays="judge", latency_ms=60_000)
    run = prepare(start(version=make_version(1), contract=make_contract(JUDGE), judge=slow))
    chunk = run.chunks.get()
    work = load(run, chunk, lease_of(chunk))
    item = work.items[0]

    async def ask_until_it_is_judged() -> None:
        async with work.evaluator() as evaluator:
            work.sheet.begin(item)
            asking = asyncio.create_task(evaluator.evaluate(item))
            while item.held.reply is None:
                await asyncio.sleep(0)
            asking.cancel()

    asyncio.run(ask_until_it_is_judged())
    work.sheet.flush()
    expire(chunk)

    [kept] = load(run, again(chunk), lease_of(chunk)).items

    assert kept.held.reply is not None
    assert (kept.held.reply.text, kept.held.target_attempts) == ("1", 1)
    assert run.attempts.filter(purpose="target").count() == 1


def test_a_chunk_that_was_closed_holds_no_answers_any_more(
    start: Start, make_target: MakeTarget, make_contract: MakeContract
) -> None:
    judge = make_target("solomon", plays="judge", planned_errors=always("timeout", attempts=1))
    run = drain(start(contract=make_contract(JUDGE), judge=judge))

    assert statuses(run) == {"completed": 10}
    assert all(chunk.held == {} for chunk in run.chunks.all())
    assert run.attempts.filter(purpose="target").count() == 10


# -- time -----------------------------------------------------------------------------------


def test_what_the_budget_does_not_suffice_for_is_a_chunk_that_is_due_at_once(
    one_chunk: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "BUDGET_SECONDS", 0.0)

    work_on(one_chunk.chunks.get())

    rest = one_chunk.chunks.get(state=JobState.PENDING)
    assert sorted(item[0] for item in rest.items) == [*range(6)]
    assert rest.not_before <= timezone.now()
    assert rest.held != {}
    assert again(one_chunk).state == RunState.RUNNING


def test_a_call_that_takes_too_long_for_a_task_is_let_go_and_comes_again(
    start: Start, make_target: MakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "LAST_SECONDS", 0.3)
    run = prepare(start(target=make_target(latency_ms=60_000, concurrency=32)))
    chunk = run.chunks.order_by("pk")[0]

    done = work_on(chunk)

    assert done.state == JobState.DONE
    rest = run.chunks.get(seq=f"{chunk.seq}.0")
    assert rest.items == chunk.items
    assert not run.results.exists()


# -- surprises ------------------------------------------------------------------------------


class AnswersThenBreaks:
    """Our own gateway to the rate limit, out of order after some calls."""

    def __init__(self, good: int) -> None:
        self._good = good

    async def ask(self, ask: Ask) -> Reply:
        return Reply(text="4")

    async def pace(self) -> None:
        if self._good == 0:
            raise OSError("the database is away")
        self._good -= 1


def test_a_surprise_ends_the_asking_and_what_was_answered_is_kept(
    start: Start, make_target: MakeTarget, make_version: MakeVersion
) -> None:
    run = prepare(start(version=make_version(6), target=make_target(concurrency=32)))
    chunk = run.chunks.get()
    work = load(run, chunk, lease_of(chunk))
    answers = AnswersThenBreaks(good=4)
    evaluator = Evaluator(
        target=Party(answers, answers.pace, 3),
        judges={},
        spec=None,
        settings=work.settings,
        note=work.sheet.note,
    )

    async def ask_in_turn() -> None:
        for item in work.items:
            work.sheet.add(await evaluator.evaluate(item))

    with pytest.raises(PaceBroke):
        asyncio.run(ask_in_turn())
    work.sheet.flush()

    assert statuses(run) == {"completed": 4}
    assert run.attempts.count() == 4


def test_a_chunk_that_surprises_is_tried_again_and_the_run_goes_on(one_chunk: Run) -> None:
    """The contract of the run cannot be read for a while."""
    contract_plan = one_chunk.plan
    Run.objects.filter(pk=one_chunk.pk).update(plan={})
    chunk = one_chunk.chunks.get()

    jobs.look_at(Chunk, chunk.pk)

    row = again(chunk)
    assert row.state == JobState.PENDING
    assert row.error.startswith("ValidationError")
    Run.objects.filter(pk=one_chunk.pk).update(plan=contract_plan)
    pass_time()
    assert claim(Chunk, chunk.pk) is not None
