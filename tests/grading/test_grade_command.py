"""`evalhub grade`: rules applied to subjects from files, nothing stored, nobody asked."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Told, evalhub, evalhub_in
from tests.processes import CHECKOUT

SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")

EXACT = {"type": "exact_match", "name": "exact"}
LATENCY = {"type": "max_latency", "name": "fast", "default_ms": 100, "blocking": False}
JUDGE = {"type": "criteria_judge", "name": "judge", "default_criteria": ["accuracy", "clarity"]}
RIGHT = {"prompt": "Capital?", "response": "Paris", "reference_answers": ["Paris"]}
WRONG = {**RIGHT, "response": "Rome"}

Grade = Callable[..., Told]


@pytest.fixture
def grade(tmp_path: Path) -> Grade:
    """Grade documents: each is written to a file of its own first."""

    def graded(rule: Any, subject: Any, answers: Any = None, *words: str, js: bool = True) -> Told:
        given = {"rule": rule, "subject": subject, "answers": answers}
        paths = {name: tmp_path / f"{name}.json" for name in given}
        for name, document in given.items():
            text = document if isinstance(document, str) else json.dumps(document)
            paths[name].write_text(text, encoding="utf-8")
        options = [f"--{name}={paths[name]}" for name in given if given[name] is not None]
        return evalhub("grade", *options, *words, *(["--json"] if js else []))

    return graded


def reply(criterion: str, score: float) -> str:
    return json.dumps({"criterion": criterion, "score": score, "rationale": "because"})


def test_one_rule_says_its_value_at_the_top(grade: Grade) -> None:
    told = grade(EXACT, RIGHT)

    assert (told.status, told.facts["outcome"], told.facts["score"]) == (0, "passed", 1.0)
    assert (told.facts["value"], told.facts["verdict"]) == (1.0, "pass")
    assert told.facts["scores"][0]["verifier"].startswith("exact_match@")
    assert told.facts["scores"][0]["source"] == "contract"


def test_what_is_wrong_is_graded_and_no_error(grade: Grade) -> None:
    told = grade(EXACT, WRONG)

    assert (told.status, told.facts["outcome"], told.facts["value"]) == (0, "failed", 0.0)
    assert told.facts["scores"][0]["reason"]


def test_a_rule_made_of_rules_is_one_rule(grade: Grade) -> None:
    told = grade({"type": "composite", "rules": [EXACT, {**EXACT, "name": "b"}]}, RIGHT)

    assert told.facts["value"] == 1.0


def test_a_list_of_rules_and_a_contract_have_no_value_of_one(grade: Grade) -> None:
    listed, whole = grade([EXACT, LATENCY], RIGHT), grade({"rules": [EXACT]}, RIGHT)

    assert [score["rule"] for score in listed.facts["scores"]] == ["exact", "fast"]
    assert listed.facts["scores"][1]["verdict"] == "skip"
    assert "value" not in listed.facts
    assert "value" not in whole.facts


def test_each_of_several_subjects_has_its_own_judgment(grade: Grade) -> None:
    told = grade(EXACT, [RIGHT, WRONG])

    assert [each["outcome"] for each in told.facts] == ["passed", "failed"]


def test_a_rule_may_be_yaml_in_any_style(grade: Grade) -> None:
    block, flow, listed = "type: exact_match\n", "{type: exact_match}", "- type: exact_match\n"

    for text in (block, flow, listed):
        assert grade(text, RIGHT).facts["outcome"] == "passed"


def test_an_exported_contract_is_tried_as_it_is(grade: Grade) -> None:
    told = grade({"name": "quality", "rules": [EXACT], "description": "x"}, RIGHT)

    assert told.facts["outcome"] == "passed"


def test_a_contract_lets_the_rules_of_the_subject_count(grade: Grade) -> None:
    subject = {**RIGHT, "grading_rules": [{**EXACT, "expected": "Rome"}]}

    both = grade({"rules": [EXACT]}, subject).facts
    alone = grade({"rules": [EXACT], "data_rules": "ignore"}, subject).facts

    assert (both["outcome"], both["scores"][0]["source"]) == ("failed", "record")
    assert (alone["outcome"], alone["scores"][0]["source"]) == ("passed", "contract")


def test_a_judge_that_nobody_asked_is_said_so(grade: Grade) -> None:
    told = grade(JUDGE, RIGHT)

    assert (told.status, told.facts["value"], told.facts["verdict"]) == (0, None, "error")
    assert "The judge was not asked." in told.facts["scores"][0]["reason"]


@pytest.mark.parametrize(
    "answers",
    [
        {"accuracy": reply("accuracy", 10), "clarity": reply("clarity", 1)},
        [reply("accuracy", 10), reply("clarity", 1)],
        {"judge": {"accuracy": reply("accuracy", 10), "clarity": reply("clarity", 1)}},
        {"judge accuracy": reply("accuracy", 10), "clarity": json.loads(reply("clarity", 1))},
        {"accuracy": ["what?", reply("accuracy", 10)], "clarity": reply("clarity", 1)},
    ],
    ids=["by call", "in order", "by rule", "by rule and call, as an object", "asked again"],
)
def test_a_judges_replies_come_from_a_file(grade: Grade, answers: Any) -> None:
    told = grade(JUDGE, RIGHT, answers)

    assert told.facts["value"] == 0.5


def test_the_questions_are_told_when_asked_for(grade: Grade) -> None:
    told = grade(JUDGE, RIGHT, None, "--questions")

    assert [each["call"] for each in told.facts["questions"]] == ["accuracy", "clarity"]
    assert "Paris" in told.facts["questions"][0]["user"]


def test_an_unknown_key_is_a_warning_beside_valid_json(grade: Grade) -> None:
    told = grade(EXACT, {**RIGHT, "colour": "red"})

    assert told.facts["outcome"] == "passed"
    assert told.err == "The key 'colour' is not known here; it is left out.\n"


@pytest.mark.parametrize(
    ("rule", "subject", "said"),
    [
        ({"type": "guess"}, RIGHT, "there is no rule type 'guess'"),
        ({**EXACT, "threshold": 3}, RIGHT, "threshold: should be less than or equal to 1"),
        ("rules: [", RIGHT, "not valid YAML"),
        ([], RIGHT, "at least one rule"),
        ("just text", RIGHT, "must be an object"),
        (EXACT, "{", "not valid JSON: Expecting property name enclosed in double quotes (line 1"),
        (EXACT, "[" * 100_000, "nested too deeply"),
        (EXACT, '{"response": NaN}', "NaN is not a number that JSON has."),
        (EXACT, 7, "A subject must be an object, not 7."),
        (EXACT, {"latency_ms": -1}, "latency_ms must be a number of 0 or more, not -1."),
        (EXACT, {"latency_ms": "fast"}, 'latency_ms must be a number of 0 or more, not "fast".'),
        (EXACT, {"messages": [{"content": "x"}]}, "messages[0].role must be a text"),
        (EXACT, {"tool_calls": [{"arguments": 1}]}, "tool_calls[0].name must be a text"),
        (EXACT, {"rubric": [["a", "b"]]}, 'rubric[0][1] must be a number, not "b".'),
    ],
    ids=str,
)
def test_what_cannot_be_is_one_error_and_exit_2(
    grade: Grade, rule: Any, subject: Any, said: str
) -> None:
    told = grade(rule, subject)
    plain = grade(rule, subject, js=False)

    assert told.status == plain.status == 2
    assert set(told.facts) == {"error"}
    assert said in told.facts["error"]
    assert plain.out == ""
    assert said in plain.err


def test_half_a_character_is_graded_and_printed(grade: Grade) -> None:
    subject = '{"response": "\\ud800", "reference_answers": ["\\ud801"], "\\udfff": 1}'

    told, plain = grade(EXACT, subject), grade(EXACT, subject, js=False)

    assert told.facts["value"] == 0.0
    assert (told.out + plain.out + plain.err).encode()


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    told = evalhub("grade", "--rule", str(tmp_path / "no.yaml"), "--subject", "x", "--json")

    assert told.status == 2
    assert told.facts["error"].endswith("no.yaml cannot be read: No such file or directory.")


def test_without_json_each_score_is_a_line(grade: Grade) -> None:
    told = grade([EXACT, LATENCY], {**WRONG, "latency_ms": 300}, js=False)

    assert told.out.startswith("failed  0: Below the threshold: exact")
    assert "fast                  warn   0  Took 300 ms of 100 ms." in told.out


def test_no_database_is_needed(tmp_path: Path) -> None:
    rule, subject = tmp_path / "rule.yaml", tmp_path / "subject.json"
    rule.write_text("type: exact_match\n", encoding="utf-8")
    subject.write_text(json.dumps(RIGHT), encoding="utf-8")

    told = evalhub_in(
        tmp_path / "new", "grade", "--rule", str(rule), "--subject", str(subject), "--json"
    )

    assert (told.status, told.facts["value"]) == (0, 1.0)
    assert not list((tmp_path / "new").glob("*.sqlite3*"))


# -- against the original programs ---------------------------------------------------------------


def cases(name: str) -> list[dict[str, Any]]:
    file = SHARED / "conformance" / name
    if not file.is_file():
        pytest.skip(f"{name} is not here: set EVALHUB_SHARED to the shared folder")
    found: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    return found


def test_assertions_of_agentv_score_as_there(grade: Grade) -> None:
    for case in cases("agentv_assertions.json"):
        rules = case.get("list") or [case["assertion"]]

        facts = grade(rules, {"output": case["output"]}).facts

        assert facts["score"] == pytest.approx(case["score"]), case
        assert (facts["outcome"] == "passed") == (case["execution_status"] == "ok"), case
        said = [text for score in facts["scores"] for text in score["assertions"]]
        assert said == case["assertions"], case


def test_multiple_choice_is_graded_as_there(grade: Grade) -> None:
    for case in cases("legal_mcq.json"):
        ids = sorted({*case["expected"], "A", "B", "C", "D"})
        subject = {
            "response": case["text"],
            "choices": [{"id": each, "text": each} for each in ids],
            "correct_choice_ids": case["expected"],
        }

        facts = grade({"type": "multiple_choice"}, subject).facts

        assert facts["value"] == case.get("score", 0.0), case


def test_assertions_of_agentv_decide_together_and_not_each_alone(grade: Grade) -> None:
    heavy = {"type": "contains", "value": "alpha", "weight": 9}
    light = {"type": "contains", "value": "beta"}

    told = grade({"assertions": [heavy, light]}, {"response": "alpha"})

    assert told.facts["score"] == 0.9
    assert told.facts["outcome"] == "passed"


def test_weighted_rubrics_are_summed_as_there(grade: Grade) -> None:
    rule = {"type": "rubric_judge", "questions": "all", "marks": "share"}

    for case in cases("legal_weighted_rubric.json"):
        subject = {"prompt": "Is it?", "response": "It is.", "rubric": case["rubric"]}

        facts = grade(rule, subject, {"score": 0, "criteria": case["criteria"]}).facts

        # a criterion that the judge leaves out is no 0 here: the whole has no score
        whole = len(case["criteria"]) == len(case["rubric"])
        assert facts["value"] == (pytest.approx(case["score"]) if whole else None), case


def test_what_a_judge_says_is_read_as_there_and_is_no_score_where_it_cannot_be(
    grade: Grade,
) -> None:
    for case in cases("legal_parse_judge.json"):
        subject = {"prompt": "Is it?", "response": "It is.", "reference_answers": ["Yes."]}

        facts = grade({"type": "reference_judge"}, subject, [case["text"]]).facts

        assert facts["value"] == (None if case["parse_error"] else case["score"]), case
        assert (facts["verdict"] == "error") == case["parse_error"], case
