"""A judge at temperature 0 is not asked the same twice; any other judge is."""

import asyncio
from typing import Any

import pytest

from apps.artifacts.redaction import Redactor
from apps.grading.contracts import Question
from apps.grading.spec import ContractSpec
from apps.runs.engine.evaluating import Evaluator
from apps.runs.engine.items import Call, Finished, Party
from apps.runs.models import CachedAnswer, Run, RunState
from apps.runs.working.cache import Remembered, says_the_same_again
from apps.targets.contracts import Reply
from apps.targets.models import RateLimit, Target, TargetVersion
from apps.targets.services import edit_target
from apps.targets.specs import OpenAIChatSpec, ScriptedSpec, parse_spec
from tests.model_server import ModelServer
from tests.runs.conftest import JUDGE, MakeContract, MakeTarget, MakeVersion, Start, drain, points
from tests.runs.engine.test_evaluating import NOT_JSON, OK, OPINION, Script, _item
from tests.runs.engine.test_sessions import SETTINGS, _no_wait

PRICES = {"price_input": 1.0, "price_output": 1.0}
QUESTION = Question(call="accuracy", system="You judge.", user="Is it right?")


@pytest.fixture
def judge(make_target: MakeTarget, model_server: ModelServer) -> Any:
    """A judge of the test server with these settings."""

    def make(model: str = "judge", **settings: Any) -> Target:
        return make_target(
            "solomon", kind="openai_chat", base_url=model_server.base_url, model=model, **settings
        )

    return make


@pytest.fixture
def run(start: Start, make_version: MakeVersion, make_contract: MakeContract) -> Any:
    """Runs of the same five sums, target and contract."""
    version, contract = make_version(5), make_contract(JUDGE)

    def go(judge: Target, **more: Any) -> Run:
        target = Target.objects.filter(name="assistant").first()
        return drain(start(version=version, target=target, contract=contract, judge=judge, **more))

    return go


def test_the_same_request_is_answered_without_a_call_and_for_nothing(
    run: Any, judge: Any, model_server: ModelServer
) -> None:
    solomon = judge(temperature=0, **PRICES)

    first, second = run(solomon), run(solomon)

    assert model_server.stats()["requests"] == 5
    assert first.spent > 0
    assert second.spent == 0
    calls = second.attempts.filter(purpose="judge")
    assert set(calls.values_list("cached", "cost", "latency_ms", "http_status")) == {
        (True, 0.0, None, None)
    }
    assert set(first.attempts.values_list("cached", flat=True)) == {False}
    values = ("result__ordinal", "value", "verifier")
    assert list(second.scores.order_by("result__ordinal").values_list(*values)) == list(
        first.scores.order_by("result__ordinal").values_list(*values)
    )
    assert points(second)["score_mean"] == points(first)["score_mean"]


@pytest.mark.parametrize("temperature", [None, 0.1])
def test_a_judge_that_may_say_something_else_is_asked_again(
    run: Any, judge: Any, model_server: ModelServer, temperature: float | None
) -> None:
    solomon = judge(**({} if temperature is None else {"temperature": temperature}))

    run(solomon)
    run(solomon)

    assert model_server.stats()["requests"] == 10
    assert not CachedAnswer.objects.exists()


def test_another_version_of_the_judge_is_asked_itself(
    run: Any, judge: Any, model_server: ModelServer
) -> None:
    solomon = judge(temperature=0)
    run(solomon)
    changed = solomon.current.parsed.model_copy(update={"seed": 7})
    edit_target(target=solomon, spec=changed, by=None)
    solomon.refresh_from_db()

    run(solomon)

    assert model_server.stats()["requests"] == 10


def test_what_is_remembered_takes_no_turn_of_the_rate_limit(run: Any, judge: Any) -> None:
    solomon = judge(temperature=0, requests_per_minute=6_000)
    run(solomon)
    granted = RateLimit.objects.get(target=solomon).next_free_at

    again = run(solomon)

    assert again.state == RunState.COMPLETED
    assert RateLimit.objects.get(target=solomon).next_free_at == granted


def test_only_the_reply_that_can_be_read_is_kept(
    run: Any, judge: Any, model_server: ModelServer
) -> None:
    solomon = judge("judge-broken-once", temperature=0)

    run(solomon)
    assert CachedAnswer.objects.count() == 5
    second = run(solomon)

    assert model_server.stats()["requests"] == 15
    calls = second.attempts.filter(purpose="judge").values_list("call", "cached")
    assert set(calls) == {("accuracy", False), ("accuracy:again", True)}


def test_two_workers_that_ask_the_same_at_once_keep_one_answer(
    run: Any, judge: Any, make_version: MakeVersion
) -> None:
    solomon = judge(temperature=0)
    run(solomon)
    kept = dict(CachedAnswer.objects.values_list("request_sha256", "text"))
    rows = [
        CachedAnswer(target_version=solomon.current, request_sha256=key, text="later")
        for key in kept
    ]

    CachedAnswer.objects.bulk_create(rows, ignore_conflicts=True)

    assert dict(CachedAnswer.objects.values_list("request_sha256", "text")) == kept


def test_a_capped_run_that_remembers_everything_spends_nothing(run: Any, judge: Any) -> None:
    solomon = judge(temperature=0, price_input=1_000.0, price_output=1_000.0)
    run(solomon)

    capped = run(solomon, cost_cap=0.000001)

    assert capped.state == RunState.COMPLETED


@pytest.mark.parametrize(
    ("spec", "same"),
    [
        (OpenAIChatSpec(base_url="http://127.0.0.1:9/v1", model="m", temperature=0), True),
        (OpenAIChatSpec(base_url="http://127.0.0.1:9/v1", model="m", temperature=0.01), False),
        (OpenAIChatSpec(base_url="http://127.0.0.1:9/v1", model="m"), False),
        (
            parse_spec({"kind": "http_json", "url": "http://127.0.0.1:9/answer"}),
            False,
        ),
        (ScriptedSpec(plays="judge"), False),
    ],
)
def test_only_a_chat_at_temperature_0_says_the_same_again(spec: Any, same: bool) -> None:
    assert says_the_same_again(spec) is same


def _version(make_target: MakeTarget) -> TargetVersion:
    return make_target("solomon").current


def test_what_is_kept_holds_no_secret(make_target: MakeTarget) -> None:
    version, rows = _version(make_target), []
    memory = Remembered(version.pk, "a", Redactor(known=["hunter22secret"]), rows.append)

    memory.keep(QUESTION, Reply(text="He said hunter22secret.", model="m"))

    (row,) = rows
    assert row.text == "He said [REDACTED:known_secret]."


@pytest.mark.django_db(transaction=True)
def test_the_key_is_the_whole_request(make_target: MakeTarget) -> None:
    version, rows = _version(make_target), []
    memory = Remembered(version.pk, "a", Redactor(), rows.append)
    memory.keep(QUESTION, Reply(text="Yes.", model="m"))
    others = [
        QUESTION.model_copy(update={"system": "You judge!"}),
        QUESTION.model_copy(update={"user": "Is it wrong?"}),
    ]

    async def recalled(question: Question, sha256: str = "a") -> Reply | None:
        there = Remembered(version.pk, sha256, Redactor(), rows.append)
        return await (memory if sha256 == "a" else there).recall(question)

    found = asyncio.run(recalled(QUESTION.model_copy(update={"call": "clarity"})))
    assert found is not None
    assert (found.text, found.cost, found.cached) == ("Yes.", 0.0, True)
    assert [asyncio.run(recalled(other)) for other in others] == [None, None]
    assert asyncio.run(recalled(QUESTION, "b")) is None


class Memory:
    """Our own gateway to what was said before, in a dict."""

    def __init__(self, **said: str) -> None:
        self.said = said

    async def recall(self, question: Question) -> Reply | None:
        text = self.said.get(question.call)
        return Reply(text=text, cost=0.0, cached=True) if text else None

    def keep(self, question: Question, reply: Reply) -> None:
        self.said[question.call] = reply.text or ""


def _judged(judge: Script, memory: Memory) -> tuple[Any, list[Call]]:
    calls: list[Call] = []
    evaluator = Evaluator(
        target=Party(Script(OK), _no_wait, 3),
        judges={"": Party(judge, _no_wait, 3, memory=memory)},
        spec=ContractSpec.model_validate({"rules": [JUDGE]}),
        settings=SETTINGS,
        note=calls.append,
    )
    return asyncio.run(evaluator.evaluate(_item())), calls


def test_what_is_remembered_and_cannot_be_read_by_this_rule_is_asked_for() -> None:
    judge = Script(Reply(text=OPINION))

    outcome, calls = _judged(judge, Memory(accuracy=NOT_JSON))

    assert isinstance(outcome, Finished)
    assert outcome.status == "completed"
    assert len(judge.asked) == 1
    assert [call.reply.cached for call in calls] == [False, False]


def test_what_a_judge_fails_to_say_is_not_remembered() -> None:
    memory = Memory()

    _judged(Script(Reply(error_code="unauthorized", detail="no")), memory)

    assert memory.said == {}
