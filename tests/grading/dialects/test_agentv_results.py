"""agentv's own result files graded again: what no model and no program decided comes out the same.

Each row is matched with its case in the suite beside it, by the names of its graders. What a
model judged cannot be graded again, but what a rubric makes of the model's marks can; programs
are never executed.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest

from apps.datasets import subjects
from apps.datasets.contracts import AcceptedRecord
from apps.datasets.formats import FORMATS
from apps.datasets.prompting import answer_of
from apps.datasets.uploading.bundles import Bundle, Folder
from apps.grading.combining import in_force
from apps.grading.contracts import Answer, Check, Score, Subject
from apps.grading.rules import Rule
from apps.grading.rules.judges.rubric import RubricJudge
from apps.grading.rules.unexecutable import Unexecutable
from apps.grading.spec import RuleSet, judge

CHECKOUT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
REAL = SHARED / "data" / "agentv"
OLD = "v2026-01-20/features"
NEW = "v2026-07-08/features"

pytestmark = pytest.mark.skipif(
    not REAL.is_dir(), reason="no agentv files here: set EVALHUB_SHARED to the shared folder"
)

SUITES = {
    f"{OLD}/basic/evals/dataset.baseline.jsonl": f"{OLD}/basic/evals/dataset.yaml",
    f"{OLD}/batch-cli/evals/dataset.baseline.jsonl": f"{OLD}/batch-cli/evals/dataset.yaml",
    f"{OLD}/compare/evals/baseline-results.jsonl": None,
    f"{OLD}/compare/evals/candidate-results.jsonl": None,
    f"{OLD}/execution-metrics/evals/dataset.baseline.jsonl": (
        f"{OLD}/execution-metrics/evals/dataset.yaml"
    ),
    f"{OLD}/rubric/evals/dataset.baseline.jsonl": f"{OLD}/rubric/evals/dataset.yaml",
    f"{OLD}/weighted-evaluators/evals/dataset.baseline.jsonl": (
        f"{OLD}/weighted-evaluators/evals/dataset.yaml"
    ),
    f"{NEW}/basic-jsonl/evals/suite.baseline.jsonl": f"{NEW}/basic-jsonl/evals/suite.yaml",
    f"{NEW}/external-datasets/evals/suite.baseline.jsonl": (
        f"{NEW}/external-datasets/evals/suite.yaml"
    ),
    f"{NEW}/rubric/evals/suite.baseline.jsonl": f"{NEW}/rubric/evals/suite.yaml",
}

GRADERS = {
    "tool_trajectory: score, verdict and texts are the same": 4,
    "rubric: the model's marks make the same score and texts": 7,
    "program: never executed": 10,
    "model: its opinion is not a rubric's": 9,
}
ROWS = {
    "score: the weighted mean of its graders": 18,
    "no grader is told of: one model judged, or an error": 18,
    "no grader is told of: nothing but a score": 10,
}

BAND = re.compile(r" - Score: (\d+)/10")
Row = dict[str, Any]


class Said(Rule):
    """What a grader of the row said."""

    type: Literal["said"] = "said"
    value: float

    def grade(self, subject: Subject) -> Score:
        return self.scored(self.value)


# -- the files ------------------------------------------------------------------------------


@cache
def payloads(path: str) -> tuple[Row, ...]:
    bundle = Bundle(path, (REAL / path).read_bytes(), Folder(REAL))
    records = FORMATS["agentv"].read(bundle)
    return tuple(json.loads(each.payload) for each in records if isinstance(each, AcceptedRecord))


def results() -> Iterator[tuple[Row, Row | None]]:
    """Each result with its case, where there is one."""
    for path, suite in SUITES.items():
        cases = {each["row"]["id"]: each for each in payloads(suite)} if suite else {}
        for payload in payloads(path):
            row = payload["row"]
            yield payload, cases.get(row.get("eval_id", row.get("test_id")))


def graders(payload: Row) -> list[Row]:
    row = payload["row"]
    listed: list[Row] = row.get("scores", row.get("evaluator_results", []))
    return listed


def texts(grader: Row) -> set[tuple[str, bool]]:
    """What a grader checked; of the older date hits and misses."""
    if "assertions" in grader:
        return {(each["text"], each["passed"]) for each in grader["assertions"]}
    pairs = {(text, True) for text in grader["hits"]}
    return pairs | {(text, False) for text in grader["misses"]}


# -- grading again --------------------------------------------------------------------------


def again(payload: Row, case: Row | None, grader: Row) -> str:
    """What became of one grader of one row."""
    assert case is not None, payload["record_id"]
    found = subjects.given(case)
    rules = in_force(None, found.dataset, found.record).rules
    subject = Subject(
        **{**found.fields, **subjects.answered(payload)}, response=answer_of(payload) or ""
    )
    if grader["type"] == "tool_trajectory":
        rule = next(each for each in rules if each.name == grader["name"])
        assert_same(rule.grade(subject), grader)
        return "tool_trajectory: score, verdict and texts are the same"
    if grader["type"] in ("code_judge", "script"):
        rule = next(each for each in rules if each.name == grader["name"])
        assert isinstance(rule, Unexecutable)
        return "program: never executed"
    if grader["name"] in ("rubric", "rubrics"):
        assert_marks_make_the_score(rules, subject, grader)
        return "rubric: the model's marks make the same score and texts"
    return "model: its opinion is not a rubric's"


def assert_same(score: Score, grader: Row) -> None:
    assert score.value == grader["score"]
    assert score.verdict == grader["verdict"]
    assert {(check.text, check.passed) for check in score.checks} == texts(grader)


def assert_marks_make_the_score(rules: Sequence[Rule], subject: Subject, grader: Row) -> None:
    """Of one rubric; or of criteria that stand by themselves, which upstream counts as one."""
    marks = {marked_id(text): (text, passed) for text, passed in texts(grader)}
    judges = [rule for rule in rules if isinstance(rule, RubricJudge)]
    whole = [rule for rule in judges if {item.id for item in rule.items} == set(marks)]
    if whole:
        score = settled(whole[0], subject, marks.values())
        assert (score.verdict == "pass") == (grader["verdict"] == "pass")
        scores = [score]
    else:
        scores = [
            settled(rule, subject, [mark])
            for mark in marks.values()
            for rule in judges
            if rule.items[0].description in mark[0]
        ]
        assert len(scores) == len(marks)
    values = [score.value or 0 for score in scores]
    assert sum(values) / len(values) == pytest.approx(grader["score"], abs=1e-12)
    told = {told_of(check) for score in scores for check in score.checks}
    assert told == {plain(*each) for each in texts(grader)}


def settled(rule: RubricJudge, subject: Subject, marks: Iterable[tuple[str, bool]]) -> Score:
    by_id = {marked_id(text): reply(text, passed) for text, passed in marks}
    replies = list(by_id.values()) if len(by_id) == 1 else [by_id[item.id] for item in rule.items]
    questions = rule.ask(subject)
    answers = [
        Answer(call=question.call, text=text)
        for question, text in zip(questions, replies, strict=True)
    ]
    return rule.settle(subject, answers)


def told_of(check: Check) -> tuple[str, str, bool]:
    return check.text.partition("] ")[2], check.evidence, check.passed


def plain(text: str, passed: bool) -> tuple[str, str, bool]:
    """What a row tells of a criterion: its text, the model's reason, whether it is met."""
    said, _, rationale = text.partition("] ")[2].partition(": ")
    mark = BAND.search(text)
    if mark is None:
        return said, rationale, passed
    return said.partition(" - Score")[0], text[mark.end() :].partition("): ")[2], passed


def marked_id(text: str) -> str:
    return text[1 : text.index("]")]


def reply(text: str, passed: bool) -> str:
    """What the model must have replied of a criterion, by what the row tells of it."""
    rationale = plain(text, passed)[1]
    if mark := BAND.search(text):
        return json.dumps({"score": int(mark[1]), "rationale": rationale})
    return json.dumps({"criteria_met": passed, "rationale": rationale})


def whole(payload: Row) -> str:
    """What became of the score of a row."""
    listed = graders(payload)
    if not listed:
        told = any(payload["row"].get(key) for key in ("assertions", "hits", "misses"))
        more = "one model judged, or an error" if told else "nothing but a score"
        return f"no grader is told of: {more}"
    rules = tuple(
        Said(name=f"g{n}", value=each["score"], weight=each.get("weight", 1), blocking=False)
        for n, each in enumerate(listed)
    )
    judged = judge(RuleSet.model_construct(rules=rules, passing_score=0.8), Subject())
    assert judged.score == pytest.approx(payload["row"]["score"], abs=1e-12)
    return "score: the weighted mean of its graders"


# -- what comes out -------------------------------------------------------------------------


def test_every_grader_that_can_be_carried_out_says_the_same_again() -> None:
    became = Counter(
        again(payload, case, grader) for payload, case in results() for grader in graders(payload)
    )

    assert became == GRADERS


def test_the_score_of_every_row_is_the_weighted_mean_of_its_graders() -> None:
    became = Counter(whole(payload) for payload, _ in results())

    assert became == ROWS
    assert became.total() == 46


def test_no_other_result_files_are_there() -> None:
    found = {
        str(path.relative_to(REAL))
        for pattern in ("*results*.jsonl", "*baseline*.jsonl", "index.jsonl")
        for path in REAL.rglob(pattern)
    }

    assert found == set(SUITES)
