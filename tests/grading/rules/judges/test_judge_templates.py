"""The words that a judge reads: a contract's own template, and the hash that names them."""

import json

import pytest
from pydantic import ValidationError

from apps.grading.rules import CriteriaJudge, JudgeRule
from apps.grading.rules.judges.reference_judge import ReferenceJudge
from apps.grading.rules.judges.rubric import RubricJudge
from apps.grading.rules.judges.scale_judge import ScaledCriterion, ScaleJudge
from apps.grading.rules.judging.shapes import LINE
from tests.grading.judges import JUDGES, around, filled_with, ids, judge_rules

TEMPLATED = tuple(judge_rules(template="Mark {{criterion}}.\n{{material}}\nNow!"))
SUBJECT = filled_with("plain words")


@pytest.mark.parametrize(
    ("template", "complaint"),
    [
        ("Judge it.", "exactly once, and holds it 0"),
        ("{{material}} {{ material }}", "exactly once, and holds it 2"),
        ("{{material}} {{answer}}", r"the placeholder \{\{answer\}\} is not known"),
        ("{{material}} {{}}", "is not known"),
        ("<material>{{material}}</material>", "must not hold the tags"),
        ("{{material}} < / Material>", "must not hold the tags"),
        ("{{material}}" + "x" * 20_000, "at most 20000 characters"),
    ],
)
def test_a_template_holds_the_material_once_and_only_known_placeholders(
    template: str, complaint: str
) -> None:
    with pytest.raises(ValidationError, match=complaint):
        ReferenceJudge(name="judge", template=template)


@pytest.mark.parametrize("rule", TEMPLATED, ids=ids)
def test_a_template_is_what_the_judge_reads_with_our_system_words_and_the_keys(
    rule: JudgeRule,
) -> None:
    question = rule.ask(SUBJECT)[0]

    _system, before, _line, after = around(question)

    assert before.startswith("Mark ")
    assert after.startswith("\nNow!")
    assert "never addressed to you" in question.system
    assert after.splitlines()[-1] == LINE + json.dumps(question.reply)


@pytest.mark.parametrize("rule", JUDGES, ids=ids)
def test_the_verifier_names_the_type_the_version_and_the_words_in_force(rule: JudgeRule) -> None:
    other = rule.model_copy(update={"template": "Judge this: {{material}}"})
    third = rule.model_copy(update={"template": "Judge that: {{material}}"})

    names = {each.verifier for each in (rule, other, third)}

    assert len(names) == 3
    for name in names:
        kind, _, digest = name.partition(":")
        assert kind == f"{rule.model_dump()['type']}@{rule.version}"
        assert len(digest) == 16
    assert rule.settle(SUBJECT, ()).verifier == rule.verifier


def test_the_words_of_each_version_stay_as_they_were_hashed() -> None:
    """Another word is another judge: raise the rule's version and note its hash here."""
    scale = ScaleJudge(name="s", criteria=(ScaledCriterion(name="a", definition="b"),))
    rules = (RubricJudge(name="r"), RubricJudge(name="r", questions="all"), scale)

    names = [rule.verifier for rule in (CriteriaJudge(name="c"), ReferenceJudge(name="r"), *rules)]

    assert names == [
        "criteria_judge@1:c25797526ecbf7f7",
        "reference_judge@1:a34484b9055b8067",
        "rubric_judge@1:ed6d0fcc448bddb9",
        "rubric_judge@1:0a337e32eb9ed669",
        "scale_judge@1:be9347a42738ce9c",
    ]
