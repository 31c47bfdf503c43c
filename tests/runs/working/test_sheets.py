"""What is written each second: all of it under the lease, or nothing; never a secret."""

import string
from collections.abc import Callable
from datetime import UTC, datetime

import orjson
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.artifacts.redaction import Redactor
from apps.jobs.leases import LeaseLost
from apps.runs.beginning.answering import keep_answers
from apps.runs.contracts import Held
from apps.runs.engine.items import Again, Call, Finished, Item
from apps.runs.models import Run
from apps.runs.working.loading import load
from apps.runs.working.sheets import Sheet
from apps.targets.contracts import Reply
from tests.model_server import ModelServer
from tests.runs.conftest import (
    EXACT,
    JUDGE,
    MakeContract,
    MakeTarget,
    MakeVersion,
    Start,
    again,
    artifact,
    drain,
    everything_stored,
    expire,
    lease_of,
    prepare,
    record,
    statuses,
    work_on,
)

# put together here, so that no scanner takes them for real ones
AWS_KEY = "AKIA" + "Q3EGRZ7TB2L5XW4M"
TOKEN = "ghp_" + (string.ascii_letters + string.digits)[:36]
MEGABYTES = 7 * 1024 * 1024


@pytest.fixture
def run(start: Start, make_version: MakeVersion) -> Run:
    return prepare(start(version=make_version(3)))


@pytest.fixture
def sheet(run: Run) -> Sheet:
    chunk = run.chunks.order_by("pk")[0]
    target = run.targets.get()
    return Sheet(
        run=run,
        lease=lease_of(chunk),
        redactor=Redactor(),
        target_version_id=target.target_version_id,
        held={},
    )


def _item(run: Run, ordinal: int = 0, text: str = "4") -> Item:
    row = run.dataset_version.records.get(ordinal=ordinal)
    held = Held(target_attempts=1, reply=Reply(text=text, latency_ms=5))
    return Item(ordinal, 0, row.pk, row.record_id, orjson.loads(row.payload), held)


def _call(item: Item, number: int = 1, rule: str = "") -> Call:
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    reply = item.held.reply or Reply(error_code="timeout")
    return Call(item.ordinal, item.trial, "target", rule, "", number, moment, reply)


def test_results_and_attempts_are_written_and_the_progress_with_them(
    run: Run, sheet: Sheet
) -> None:
    item = _item(run)
    sheet.note(_call(item))
    sheet.add(Finished(item, "completed"))

    assert sheet.flush() is True

    assert statuses(run) == {"completed": 1}
    assert run.attempts.get().latency_ms == 5
    assert run.chunks.order_by("pk")[0].done == 1


def test_the_same_again_doubles_nothing(run: Run, sheet: Sheet) -> None:
    for text in ("first", "second"):
        item = _item(run, text=text)
        sheet.note(_call(item))
        sheet.add(Finished(item, "completed"))
        sheet.flush()

    assert run.results.get().response == "second"
    assert run.attempts.count() == 1


def test_nothing_is_written_without_the_lease(run: Run, sheet: Sheet) -> None:
    chunk = run.chunks.order_by("pk")[0]
    expire(chunk)
    lease_of(chunk)
    item = _item(run)
    sheet.note(_call(item))
    sheet.add(Finished(item, "completed"))

    with pytest.raises(LeaseLost):
        sheet.flush()

    assert not run.results.exists()
    assert not run.attempts.exists()


def test_what_the_database_refused_stays_for_the_next_time(run: Run, sheet: Sheet) -> None:
    good, bad = _item(run, 0), _item(run, 1)
    sheet.note(_call(good))
    sheet.add(Finished(good, "completed"))
    bad.record_pk = None  # type: ignore[assignment]
    sheet.add(Finished(bad, "completed"))

    with pytest.raises(IntegrityError):
        sheet.flush()
    assert not run.results.exists()
    bad.record_pk = run.dataset_version.records.get(ordinal=1).pk

    assert sheet.flush() is True
    assert statuses(run) == {"completed": 2}
    assert run.attempts.count() == 1


def test_a_run_that_was_cancelled_wants_no_more(run: Run, sheet: Sheet) -> None:
    Run.objects.filter(pk=run.pk).update(cancel_requested_at=timezone.now())
    item = _item(run)
    sheet.add(Finished(item, "completed"))

    assert sheet.flush() is False
    assert statuses(run) == {"completed": 1}


def test_what_waits_is_kept_with_the_chunk(run: Run, sheet: Sheet) -> None:
    sheet.add(Again(_item(run, text=f"The key is {AWS_KEY}."), 2.0))

    sheet.flush()

    held = again(run.chunks.order_by("pk")[0]).held
    assert held["0.0"]["target_attempts"] == 1
    assert held["0.0"]["reply"]["text"] == "The key is [REDACTED:api_key]."


def test_no_turn_is_kept_before_its_call_is(run: Run, sheet: Sheet) -> None:
    talking = _item(run, 0)
    said = Reply(text="1", detail="said at once")
    talking.held = Held(target_attempts=1, turns=(said,), reply=said)
    sheet.begin(talking)
    sheet.note(_call(talking))
    sheet.redactor = _Meanwhile(lambda: _answer_one_more(sheet, talking))

    sheet.flush()

    kept = again(run.chunks.order_by("pk")[0]).held["0.0"]
    assert (kept["target_attempts"], len(kept["turns"])) == (1, 1)
    assert run.attempts.count() == 1
    sheet.flush()
    assert run.attempts.count() == 2


def test_what_ends_while_it_is_written_is_written_the_next_time(run: Run, sheet: Sheet) -> None:
    talking, other = _item(run, 0), _item(run, 1)
    said = Reply(text="1", detail="said at once")
    talking.held = Held(target_attempts=1, reply=said)
    other.held = Held(target_attempts=1, reply=said)
    sheet.begin(talking)
    sheet.note(_call(talking))

    def end() -> None:
        sheet.note(_call(other))
        sheet.add(Finished(other, "completed"))
        sheet.add(Finished(talking, "completed"))

    sheet.redactor = _Meanwhile(end)
    sheet.flush()

    assert "0.0" in again(run.chunks.order_by("pk")[0]).held
    assert (run.attempts.count(), run.results.count()) == (1, 0)
    sheet.flush()
    assert (run.attempts.count(), run.results.count()) == (2, 2)


def test_progress_goes_on_from_what_another_worker_had_done(run: Run) -> None:
    chunk = run.chunks.order_by("pk")[0]
    first, lease = _item(run), lease_of(chunk)
    work = load(run, chunk, lease)
    work.sheet.add(Finished(first, "completed"))
    work.sheet.flush()
    expire(chunk)

    later = load(run, again(chunk), lease_of(again(chunk)))
    later.sheet.add(Finished(_item(run, 1), "completed"))
    later.sheet.flush()

    assert again(chunk).done == 2


class _Meanwhile(Redactor):
    """While the calls are made ready to be written the loop goes on."""

    def __init__(self, goes_on: Callable[[], None]) -> None:
        super().__init__()
        self._goes_on = goes_on

    def text(self, text: str) -> str:
        goes_on, self._goes_on = self._goes_on, lambda: None
        goes_on()
        return super().text(text)


def _answer_one_more(sheet: Sheet, item: Item) -> None:
    sheet.note(_call(item, number=2))
    turns = (*item.held.turns, Reply(text="2"))
    item.held = item.held.model_copy(update={"target_attempts": 2, "turns": turns})


# -- secrets and hostile answers ------------------------------------------------------------


@pytest.mark.parametrize("judge_fails", [False, True], ids=["at once", "held for the judge"])
def test_a_secret_that_a_target_says_is_in_no_table_and_in_no_artifact(
    start: Start,
    make_version: MakeVersion,
    make_target: MakeTarget,
    make_contract: MakeContract,
    model_server: ModelServer,
    judge_fails: bool,
) -> None:
    prompt = "What is the key?"
    leak = f"It is {AWS_KEY}, and the token is {TOKEN}."
    model_server.plan(answers={prompt: leak}, wrong_rate=0)
    share = 1.0 if judge_fails else 0.0
    busy = [{"code": "timeout", "share": share, "attempts": 1}]

    run = prepare(
        start(
            version=make_version(records=[record("q1", prompt, "none")]),
            target=make_target(kind="openai_chat", base_url=model_server.base_url),
            contract=make_contract(EXACT, JUDGE),
            judge=make_target("solomon", plays="judge", planned_errors=busy),
        )
    )
    work_on(run.chunks.get())
    held_meanwhile = everything_stored()
    drain(run)

    assert run.results.get().response.count("[REDACTED:") == 2
    for stored in (held_meanwhile, everything_stored()):
        assert AWS_KEY not in stored
        assert TOKEN not in stored
    assert model_server.calls(prompt) == 1


def test_what_a_spec_says_is_redacted_in_the_manifest(
    start: Start, make_target: MakeTarget
) -> None:
    target = make_target(canned={"Who are you?": f"Ask ada@example.org, {AWS_KEY}."})

    run = drain(start(target=target))

    manifest = artifact(run, "run_manifest.json")
    assert manifest["models"][0]["settings"]["canned"] == {
        "Who are you?": "Ask [REDACTED:email], [REDACTED:api_key]."
    }


def test_the_key_that_a_server_quotes_is_stored_nowhere(
    start: Start,
    make_version: MakeVersion,
    make_target: MakeTarget,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_MODEL_KEY", "sesame-open-12345")
    prompts = ["[[echo_headers]] say it", "[[401]] refuse it", "[[503]] break"]
    records = [record(f"q{number}", prompt) for number, prompt in enumerate(prompts)]
    target = make_target(
        kind="openai_chat",
        base_url=model_server.base_url,
        api_key_env="SOME_MODEL_KEY",
        max_attempts=1,
    )

    run = drain(start(version=make_version(records=records), target=target))

    assert statuses(run) == {"completed": 1, "evaluation_error": 2}
    assert model_server.last_request()["headers"]["authorization"] == "Bearer sesame-open-12345"
    assert "sesame-open-12345" not in everything_stored()


def test_answers_that_no_database_keeps_are_kept_with_a_mark(
    start: Start, make_target: MakeTarget, workspace: Workspace, make_contract: MakeContract
) -> None:
    lines = b'{"record_id": "q_0000", "response": "before\\u0000after"}\n'
    answers = keep_answers(
        SimpleUploadedFile("mine.jsonl", lines), workspace=workspace, by=None, now=timezone.now()
    )

    run = drain(
        start(
            target=make_target(kind="recorded", source="answers"),
            contract=make_contract(EXACT, {"type": "regex", "name": "re", "pattern": "before"}),
            answers=answers,
        )
    )

    assert run.results.get(ordinal=0).response == "before\ufffdafter"
    assert run.state == "completed_with_failures"


@pytest.mark.parametrize("text", ["nul \x00 here", "lone \ud83d half", "\x00", "\udfff" * 9])
def test_rows_are_storable_whatever_an_answer_holds(run: Run, sheet: Sheet, text: str) -> None:
    item = _item(run)
    item.held = item.held.model_copy(update={"reply": Reply.model_construct(text=text)})
    item.held.reply.__dict__.update({**Reply(text="x").__dict__, "text": text, "detail": text})
    sheet.note(_call(item))
    sheet.add(Finished(item, "completed", detail=text))
    waiting = _item(run, 1)
    waiting.held = item.held
    sheet.add(Again(waiting, 2.0))

    sheet.flush()

    kept = run.results.get().response
    assert "\x00" not in kept
    kept.encode()
    assert len(kept) == len(text)


@pytest.mark.parametrize(
    "mode",
    ["hostile_text", "parts", "no_choices", "error_in_200", "malformed", "not_utf8", "truncated"],
)
def test_answers_in_a_hostile_shape_end_with_an_answer_or_a_reason(
    start: Start,
    make_version: MakeVersion,
    make_target: MakeTarget,
    model_server: ModelServer,
    mode: str,
) -> None:
    records = [record("bad", f"[[{mode}]] What is 1 plus 1?"), record("good", "What is 2 plus 2?")]
    target = make_target(kind="openai_chat", base_url=model_server.base_url, max_attempts=1)

    run = drain(start(version=make_version(records=records), target=target))

    bad = run.results.get(ordinal=0)
    assert run.results.get(ordinal=1).status == "completed"
    assert bad.response if bad.status == "completed" else (bad.cause and bad.detail)


def test_an_answer_of_seven_megabytes_is_kept_whole(
    start: Start,
    make_version: MakeVersion,
    make_target: MakeTarget,
    make_contract: MakeContract,
    model_server: ModelServer,
) -> None:
    prompt = "Tell me everything."
    long = "word " * (MEGABYTES // 5)
    model_server.plan(answers={prompt: long}, wrong_rate=0)
    target = make_target(kind="openai_chat", base_url=model_server.base_url)

    run = drain(
        start(
            version=make_version(records=[record("q1", prompt, "word")]),
            target=target,
            contract=make_contract(EXACT, {"type": "token_f1", "name": "words"}),
        )
    )

    assert len(run.results.get().response) == len(long)
    assert len(artifact(run, "predictions.jsonl")[0]["model_response"]) == len(long)


def test_what_a_judge_said_of_a_carried_answer_is_kept_though_it_could_not_be_read(
    run: Run, sheet: Sheet
) -> None:
    item = Item(0, 0, 1, "q0", {}, carried=True)
    item.held = Held(reply=Reply(text="4"), unreadable={"judge accuracy": "Nine, I would say."})
    sheet.begin(item)

    sheet.flush()

    kept = again(run.chunks.order_by("pk")[0]).held["0.0"]
    assert kept["unreadable"] == item.held.unreadable
