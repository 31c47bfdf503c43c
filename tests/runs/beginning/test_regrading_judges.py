"""Regrades that ask a judge: which one, what for, and at what cost."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from apps.grading.models import ContractVersion
from apps.runs.beginning.estimating import estimate
from apps.runs.beginning.regrading import Regrade, order_for_regrade
from apps.runs.models import Run, RunState
from tests.model_server import ModelServer
from tests.runs.conftest import (
    EXACT,
    JUDGE,
    MakeContract,
    MakeTarget,
    Start,
    again,
    drain,
    points,
    statuses,
)

from .regraded import graded


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
