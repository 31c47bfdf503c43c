"""The test server keeps its own promises: others' tests stand on them."""

import subprocess
import sys

import pytest

from tests.model_server import ModelServer
from tests.model_server.handle import CHECKOUT
from tests.model_server.plan import BROKEN, Plan, answer_of, digest_of

from .asking import question, reply_to, spec


def asked(server: ModelServer, prompt: str, model: str = "m") -> str | None:
    target = spec("openai_chat", base_url=server.base_url, model=model)
    return reply_to(target, question(prompt)).text


def test_a_known_share_of_sums_is_wrong_always_the_same_ones() -> None:
    prompts = [f"What is {number} plus 2?" for number in range(2000)]

    answers = [answer_of(Plan(wrong_rate=0.1), p, digest_of(p), "m") for p in prompts]

    wrong = sum(answer != str(number + 2) for number, answer in enumerate(answers))
    assert 160 < wrong < 240
    assert answers == [answer_of(Plan(wrong_rate=0.1), p, digest_of(p), "m") for p in prompts]


def test_an_answer_paid_twice_is_counted(model_server: ModelServer) -> None:
    asked(model_server, "a")
    asked(model_server, "a")
    asked(model_server, "b")

    stats = model_server.stats()
    assert (stats["requests"], stats["answered"], stats["repeats"]) == (3, 3, 1)
    assert (model_server.calls("a"), model_server.calls("b"), model_server.calls("c")) == (2, 1, 0)


def test_planned_faults_share_the_prompts(model_server: ModelServer) -> None:
    model_server.plan(faults=[{"mode": "503", "share": 0.5, "times": 1}])

    first = [asked(model_server, f"prompt {number}") for number in range(60)]
    second = [asked(model_server, f"prompt {number}") for number in range(60)]

    assert 15 < first.count(None) < 45
    assert second.count(None) == 0


def test_planned_answers_are_given(model_server: ModelServer) -> None:
    model_server.plan(wrong_rate=0, answers={"Capital of France?": "Paris"})

    assert asked(model_server, "Capital of France?") == "Paris"


@pytest.mark.parametrize(
    ("model", "mended"), [("judge-broken-once", True), ("judge-broken-always", False)]
)
def test_judges_break_once_or_always(model_server: ModelServer, model: str, mended: bool) -> None:
    first = asked(model_server, "Criterion: clarity", model)
    again = asked(model_server, f"Criterion: clarity\nYou said: {first}", model)

    assert first == BROKEN
    assert (again != BROKEN) is mended


def test_it_ends_with_its_parent() -> None:
    command = [sys.executable, "-m", "tests.model_server", "--port", "0", "--with-parent"]
    with subprocess.Popen(
        command, cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdout.readline()

        server.stdin.close()
        code = server.wait(timeout=10)

    assert code == 0
