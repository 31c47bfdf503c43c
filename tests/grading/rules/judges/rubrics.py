"""Subjects with a rubric, and what the judge makes of replies about them."""

import json
from typing import Any

from apps.grading.contracts import Answer, Score, Subject
from apps.grading.rules.judges.rubric import RubricJudge
from apps.grading.subjects import RubricItem

RULE = RubricJudge(name="rubric")
BANDS = {"score_ranges": {"0-6": "Wrong", "7-10": "Right"}}


def with_rubric(*items: RubricItem, **more: Any) -> Subject:
    return Subject(prompt="What may the tenant do?", response="Pay less.", rubric=items, **more)


def settled(subject: Subject, *replies: Any, rule: RubricJudge = RULE) -> Score:
    texts = [each if isinstance(each, str) else json.dumps(each) for each in replies]
    answers = [Answer(call=str(n), text=text) for n, text in enumerate(texts, start=1)]
    return rule.settle(subject, answers)
