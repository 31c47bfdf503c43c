"""What a run would ask and cost: counted on its records, None with a reason where prices lack."""

import json
from typing import Any

import pytest

from apps.accounts.models import Workspace
from apps.datasets.contracts import Options
from apps.datasets.models import DatasetVersion
from apps.grading.models import ContractVersion
from apps.runs.beginning.estimating import ANSWER_TOKENS, estimate
from apps.runs.beginning.starting import Order
from apps.targets.models import Target
from apps.targets.specs import OpenAIChatSpec, ScriptedSpec
from tests.datasets.documents import accepted
from tests.datasets.legal import row as legal_row
from tests.datasets.scenario_files import scenario
from tests.runs import building

pytestmark = pytest.mark.django_db


def order(workspace: Workspace, version: DatasetVersion, target: Target, **more: Any) -> Order:
    return Order(workspace=workspace, version=version, target=target.current, **more)


def test_an_estimate_counts_calls_and_prices_them(
    workspace: Workspace, tickets: DatasetVersion, assistant: Target
) -> None:
    found = estimate(order(workspace, tickets, assistant))

    prompts = sum(
        len(json.loads(record.payload)["input"]["prompt"]) for record in tickets.records.all()
    )
    per_answer = len("billing 0") // 4 + 1
    expected = (round(prompts / 4) * 1.0 + 12 * per_answer * 4.0) / 1_000_000
    assert (found.records, found.target_calls, found.judge_calls) == (12, 12, 0)
    assert found.cost == pytest.approx(expected)
    assert found.reason == ""


def test_an_estimate_asks_the_judge_for_every_criterion(
    workspace: Workspace, tickets: DatasetVersion, assistant: Target, judged: ContractVersion
) -> None:
    judge = building.make_target(
        workspace, "judge", ScriptedSpec(plays="judge", price_input=1, price_output=1)
    )

    with_judge = estimate(
        order(workspace, tickets, assistant, contract=judged, judges={"": judge.current})
    )
    without = estimate(order(workspace, tickets, assistant, contract=judged))

    assert with_judge.judge_calls == 24
    assert with_judge.cost is not None
    assert without.cost is None
    assert without.reason == "The judge is not chosen yet."


def test_an_estimate_without_prices_says_whose(
    workspace: Workspace, tickets: DatasetVersion
) -> None:
    spec = OpenAIChatSpec(base_url="http://127.0.0.1:9/v1", model="m")
    unpriced = building.make_target(workspace, "unpriced", spec)

    found = estimate(order(workspace, tickets, unpriced))

    assert found.cost is None
    assert found.reason == "unpriced has no prices: an admin can set them."


def test_recorded_answers_cost_nothing_and_call_nobody(
    workspace: Workspace, tickets: DatasetVersion, recorded: Target
) -> None:
    found = estimate(order(workspace, tickets, recorded))

    assert (found.target_calls, found.cost) == (0, 0.0)


def _rows(workspace: Workspace, format_id: str, *rows: dict[str, Any]) -> DatasetVersion:
    raw = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    upload = accepted(workspace, raw, options=Options(format=format_id))
    assert upload.version is not None, upload.outcome
    return upload.version


def test_every_input_of_a_session_is_a_call_that_repeats_what_was_said(
    workspace: Workspace,
) -> None:
    version = _rows(workspace, "scenarios", scenario(user_inputs=["12345678", "1234"]))
    prices = ScriptedSpec(price_input=1_000_000.0, price_output=0.0)
    target = building.make_target(workspace, "agent", prices)

    found = estimate(order(workspace, version, target))

    said = len("12345678") + 4 * ANSWER_TOKENS
    assert found.target_calls == 2
    assert found.cost == pytest.approx((8 + said + 4) / 4, abs=0.5)


def test_rules_that_came_with_the_data_ask_the_judge_that_was_chosen(
    workspace: Workspace, assistant: Target
) -> None:
    judge = {"type": "criteria_judge", "name": "own", "default_criteria": ["accuracy"]}
    row = legal_row(metadata={"grading_rules": [judge]})
    version = _rows(workspace, "legal_eval_v1", row)
    solomon = building.make_target(workspace, "solomon", ScriptedSpec(plays="judge"))

    with_judge = estimate(order(workspace, version, assistant, judges={"": solomon.current}))
    without = estimate(order(workspace, version, assistant))

    assert (with_judge.judge_calls, without.judge_calls) == (1, 0)
