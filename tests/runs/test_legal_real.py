"""The real legal set run end to end: 421 multiple choice, 300 reference and 40 rubric rows.

A target and a judge of the test server answer over HTTP; nobody wrote these rows for us.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from apps.accounts.models import Workspace
from apps.grading.starters import starter_spec
from apps.runs.ending.judgments import rows
from apps.runs.models import Run, RunState
from apps.runs.queries import counts_of
from tests.model_server import ModelServer

from .conftest import MakeContract, MakeTarget, Start, drain
from .legal import Row, answers_to, chosen, legal_version

CHECKOUT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
REAL = SHARED / "data" / "legal_eval" / "lexam_ace_legal_eval_v1.jsonl"
UNREADABLE = "I would choose the first one."

pytestmark = pytest.mark.skipif(
    not REAL.is_file(), reason=f"{REAL.name} is not here: set EVALHUB_SHARED to the shared folder"
)


def said_to(row: Row) -> str:
    """Multiple choice right, wrong or unreadable by turns; half of the references word for word."""
    turn = int(hashlib.sha256(row["id"].encode()).hexdigest(), 16) % 5
    if row["task_type"] == "mcq":
        right = row["correct_choice_ids"][0]
        wrong = next(each["id"] for each in row["choices"] if each["id"] != right)
        return [chosen(right), f"({right}) it is", chosen(wrong), UNREADABLE, chosen(f"{right}.")][
            turn
        ]
    known = row.get("reference_answers") or ["First check the fuse, then the switch."]
    return known[0] if turn % 2 else "That depends."


def is_right(row: Row) -> bool:
    """Computed without our grader: by the letter that the answer's JSON begins with."""
    try:
        answer = json.loads(said_to(row))["answer"]
    except ValueError:
        return False
    return answer[0] in row["correct_choice_ids"]


@pytest.fixture
def graded(
    workspace: Workspace,
    start: Start,
    make_target: MakeTarget,
    make_contract: MakeContract,
    model_server: ModelServer,
) -> Run:
    version = legal_version(workspace, REAL.read_bytes(), REAL.name)
    model_server.plan(answers=answers_to(version, said_to), wrong_rate=0)
    there = {"kind": "openai_chat", "base_url": model_server.base_url, "concurrency": 8}
    rules = starter_spec("legal").model_dump(mode="json")["rules"]
    return drain(
        start(
            version=version,
            target=make_target("candidate", model="m", **there),
            contract=make_contract(*rules, name="legal"),
            judge=make_target("solomon", model="judge", **there),
        )
    )


def test_the_whole_legal_set_is_answered_and_graded_by_one_contract(
    graded: Run, model_server: ModelServer
) -> None:
    counts = counts_of(graded).denominators
    real: list[dict[str, Any]] = [json.loads(line) for line in REAL.read_bytes().splitlines()]

    # every record has an end, and the numbers add up
    assert graded.state == RunState.COMPLETED
    assert (counts.total, counts.valid, counts.evaluated) == (761, 761, 761)
    assert (counts.failed, counts.skipped, counts.waiting, counts.unjudged) == (0, 0, 0, 0)
    assert counts.passed + counts.failed_contract == 761
    assert min(counts.passed, counts.failed_contract) > 100

    # each row is judged by the rule of its task type and by no other
    applied = graded.scores.exclude(verdict="skip")
    by_rule = {rule: applied.filter(rule=rule).count() for rule in graded_by()}
    assert by_rule == {"multiple_choice": 421, "reference": 300, "rubric": 40}
    assert not graded.scores.filter(value=None, reason="").exists()
    assert graded.scores.filter(verdict="skip").count() == 2 * 761

    # multiple choice is what a direct computation says, without any judge
    right = {row["id"]: float(is_right(row)) for row in real if row["task_type"] == "mcq"}
    found = applied.filter(rule="multiple_choice")
    assert dict(found.values_list("result__record__record_id", "value")) == right
    assert 0.3 < sum(right.values()) / len(right) < 0.5

    # a question of the judge is one call: one a reference, one a criterion
    calls = graded.attempts.filter(purpose="judge").exclude(call__endswith=":again")
    criteria = sum(len(row.get("rubric", ())) for row in real)
    assert (calls.filter(rule="reference").count(), criteria) == (300, 317)
    assert calls.filter(rule="rubric").count() == criteria
    assert model_server.stats()["requests"] == graded.attempts.count()

    # and leaves in the rows of the pipeline that the format comes from
    left = list(rows(graded, graded.results.order_by("ordinal", "trial")))
    assert [row["example_id"] for row in left] == [row["id"] for row in real]
    assert {row["judge_mode"] for row in left} == {"mcq", "reference", "rubric"}
    bare = [row["id"] for row in real if row["task_type"] == "mcq" and said_to(row)[0] != "{"]
    assert [row["example_id"] for row in left if row["parse_error"]] == bare


def graded_by() -> tuple[str, ...]:
    return tuple(rule.name for rule in starter_spec("legal").rules)
