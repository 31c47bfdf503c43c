"""agentv: its own answers to assertions, which ours must be to the letter."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from apps.grading.combining import NO_RULES, OwnRules, in_force
from apps.grading.contracts import Score, Subject
from apps.grading.dialects import slug
from apps.grading.spec import judge

CHECKOUT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
FILE = SHARED / "conformance" / "agentv_assertions.json"
CASES: list[dict[str, Any]] = json.loads(FILE.read_text()) if FILE.is_file() else []
STATUS = {"passed": "ok", "failed": "quality_failure"}

pytestmark = pytest.mark.skipif(
    not CASES, reason=f"{FILE.name} is not here: set EVALHUB_SHARED to the shared folder"
)


def label(case: dict[str, Any]) -> str:
    return str(case.get("name") or case["assertion"]["type"])


@pytest.mark.parametrize("case", CASES, ids=label)
def test_every_assertion_gives_the_score_and_the_texts_of_the_original(
    case: dict[str, Any],
) -> None:
    assertions = case.get("list") or [case["assertion"]]
    data = OwnRules(
        rules=tuple({**each, "blocking": False} for each in assertions), passing_score=0.8
    )

    judgment = judge(in_force(None, NO_RULES, data), Subject(response=case["output"]))

    checks = [check.model_dump() for score in judgment.scores for check in score.checks]
    assert judgment.score == pytest.approx(case["score"])
    assert STATUS[judgment.outcome] == case["execution_status"]
    assert [{"text": each["text"], "passed": each["passed"]} for each in checks] == case[
        "assertions"
    ]
    assert [told(score) for score in judgment.scores] == [
        {
            "name": slug(each["name"]),
            "score": pytest.approx(each["score"]),
            "verdict": each["verdict"],
        }
        for each in case["scores"]
    ]


def told(score: Score) -> dict[str, Any]:
    """As a result row has it, where a rule that does not block fails rather than warns."""
    return {
        "name": score.rule,
        "score": score.value,
        "verdict": score.verdict.replace("warn", "fail"),
    }
