"""Any rule on any subject that somebody may write: a judgment that is JSON, never a surprise."""

import contextlib
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.grading.combining import NO_RULES
from apps.grading.reading import SubjectError, read_subject
from apps.grading.reading.rules import rules_to_try
from apps.grading.reading.subjects import KNOWN
from apps.grading.rules import RULE_OF_TYPE
from apps.grading.spec import judge
from apps.grading.trying import answers_from, questions_in_order, told

RULES = [
    {"type": name, **example.settings}
    for name, rule in RULE_OF_TYPE.items()
    for example in rule.examples
]
values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**6) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
texts = st.text() | values.map(json.dumps)
messages = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool"]), "content": texts},
        optional={
            "tool_calls": st.lists(
                st.fixed_dictionaries({"name": st.text(min_size=1), "arguments": values}),
                max_size=2,
            )
        },
    ),
    max_size=4,
)
likely = st.fixed_dictionaries(
    {"response": texts},
    optional={
        "prompt": texts,
        "reference_answers": st.lists(texts, max_size=3),
        "choices": st.lists(texts, min_size=2, max_size=4),
        "correct_choice_ids": st.lists(st.sampled_from("ABCD"), max_size=2),
        "rubric": st.lists(st.tuples(st.text(), st.integers(-5, 5)).map(list), max_size=3),
        "context": st.lists(texts, max_size=3),
        "messages": messages,
        "latency_ms": st.integers(0, 10**6),
        "cost": st.floats(0, 10),
        "token_usage": st.dictionaries(st.sampled_from(["input", "output"]), st.integers(0, 99)),
        "status": st.sampled_from(["success", "failed", "denied"]),
        "trace": st.lists(st.fixed_dictionaries({"event_type": st.text(min_size=1)}), max_size=3),
        "verifier_outputs": values,
        "expected": values,
    },
)
odd = st.dictionaries(st.sampled_from(sorted(KNOWN)), values, max_size=4)
replies = st.none() | st.lists(texts, max_size=3) | texts | values


@given(rule=st.sampled_from(RULES), document=likely | odd, said=replies)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_rule_on_any_subject_is_a_judgment_in_json(
    rule: dict[str, Any], document: Any, said: Any
) -> None:
    with contextlib.suppress(SubjectError):
        subject = read_subject(document).subject
        rules = rules_to_try(rule).on(NO_RULES)

        answers = answers_from(said, questions_in_order(rules, subject))
        facts = told(judge(rules, subject, answers))

        assert json.loads(json.dumps(facts, allow_nan=False)) == facts
        for score in facts["scores"]:
            assert (score["value"] is None) == (score["verdict"] in ("error", "skip"))
            assert score["value"] is not None or score["reason"]
            assert "The grader raised" not in score["reason"]
