"""Assertions as agentv wrote them in each of its eras, in the words of our rules."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.grading.combining import OwnRules, own
from apps.grading.dialects import normalised
from apps.grading.documents import read_spec
from apps.grading.reading.texts import SpecError
from apps.grading.rules import Contains, Regex
from apps.grading.rules.answers.fields import FieldAccuracy
from apps.grading.rules.composite import Composite
from apps.grading.rules.judges.rubric import RubricJudge
from apps.grading.rules.unexecutable import Unexecutable
from apps.grading.spec import ContractSpec

KINDS = (
    *("contains", "contains-any", "contains-all", "icontains", "icontains_any", "icontains-all"),
    *("starts-with", "ends-with", "equals", "regex", "is-json", "field-accuracy", "latency"),
    *("cost", "token-usage", "execution-metrics", "tool-trajectory", "composite", "assert-set"),
    *("llm-grader", "llm_judge", "llm-rubric", "rubrics", "code-judge", "script", "webhook"),
    *("similar", "skill-trigger", "trajectory:tool-used", "not-contains", "not_equals"),
)
KEYS = (
    *("name", "metric", "value", "flags", "weight", "required", "min_score", "negate", "threshold"),
    *("budget", "max_ms", "maxTotal", "max_tool_calls", "fields", "mode", "minimums", "expected"),
    *("assertions", "assert", "aggregator", "rubrics", "criteria", "prompt", "score_ranges"),
    *("command", "never_executed", "config", "values", "pattern", "formats", "items", "rules"),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from((*KEYS, "type", "path")), inner, max_size=3)
    ),
    max_leaves=8,
)
ENTRIES = st.fixed_dictionaries(
    {"type": st.sampled_from(KINDS)},
    optional={key: VALUES for key in KEYS},  # noqa: C420 - a strategy each
)


def rule_of(entry: Any) -> Any:
    (rule,) = own(OwnRules(rules=(entry,)))
    return rule


@pytest.mark.parametrize(
    ("entry", "wanted"),
    [
        ({"type": "contains", "value": "a"}, {"type": "contains", "value": "a"}),
        ({"type": "contains-all", "value": ["a", "b"]}, {"values": ("a", "b"), "mode": "all"}),
        ({"type": "contains_any", "value": ["a", "b"]}, {"values": ("a", "b"), "mode": "any"}),
        ({"type": "contains-any", "value": "a"}, {"values": ("a",), "mode": "any"}),
        ({"type": "icontains", "value": "a"}, {"value": "a", "ignore_case": True}),
        ({"type": "icontains-all", "value": ["a"]}, {"values": ("a",), "ignore_case": True}),
        ({"type": "not-icontains-any", "value": ["a"]}, {"mode": "any", "negate": True}),
        ({"type": "not_contains", "value": "a"}, {"type": "contains", "negate": True}),
        ({"type": "starts-with", "value": "a"}, {"type": "starts_with", "value": "a"}),
        ({"type": "ends_with", "value": "a"}, {"type": "ends_with", "value": "a"}),
        ({"type": "equals", "value": ""}, {"type": "equals", "value": ""}),
        ({"type": "regex", "value": "a+", "flags": "gi"}, {"pattern": "a+", "flags": "gi"}),
        ({"type": "is-json"}, {"type": "is_json"}),
        ({"type": "is-json", "value": {"type": "array"}}, {"type": "valid_json"}),
        ({"type": "latency", "threshold": 2_000}, {"max_ms": 2_000, "threshold": 0.8}),
        ({"type": "latency", "max_ms": 2_000}, {"max_ms": 2_000, "threshold": 1.0}),
        ({"type": "cost", "budget": 0.1}, {"budget": 0.1}),
        ({"type": "cost", "max_usd": 0.1}, {"budget": 0.1}),
        ({"type": "token-usage", "maxTotal": 9}, {"type": "token_usage", "max_total": 9}),
        ({"type": "execution-metrics", "max_tool_calls": 1}, {"max_tool_calls": 1}),
        (
            {"type": "tool-trajectory", "mode": "any_order", "minimums": {"a": 1}},
            {"type": "tool_trajectory", "minimums": {"a": 1}, "threshold": 0.8},
        ),
        (
            {
                "type": "tool_trajectory",
                "mode": "in_order",
                "expected": [{"tool": "a", "maxDurationMs": 5}],
                "argsMatch": "ignore",
            },
            {"args_match": "ignore"},
        ),
    ],
)
def test_every_assertion_has_its_rule(entry: dict[str, Any], wanted: dict[str, Any]) -> None:
    rule = rule_of(entry)

    said = rule.model_dump()
    assert {key: said[key] for key in wanted} == wanted


@pytest.mark.parametrize(
    ("common", "wanted"),
    [
        ({}, (1.0, False, 0.8, False)),
        ({"weight": 3, "negate": True}, (3.0, False, 0.8, True)),
        ({"required": True}, (1.0, True, 0.8, False)),
        ({"required": True, "min_score": 0.5}, (1.0, True, 0.5, False)),
        ({"required": 0.6}, (1.0, True, 0.6, False)),
        ({"required": 0.6, "min_score": 0.5}, (1.0, True, 0.5, False)),
        ({"required": False, "threshold": 0.9}, (1.0, False, 0.9, False)),
    ],
)
def test_weight_required_and_least_score_are_those_of_the_assertion(
    common: dict[str, Any], wanted: tuple[float, bool, float, bool]
) -> None:
    rule = rule_of({"type": "icontains", "value": "a", **common})

    assert (rule.weight, rule.required, rule.threshold, rule.negate) == wanted


def test_names_are_those_of_agentv_in_letters_that_rules_may_have() -> None:
    entries = [
        {"type": "contains-all", "value": ["a"]},
        {"type": "equals", "value": "a", "name": "Exactly: a!"},
        {"type": "regex", "value": "a", "metric": "by pattern"},
        "Says hello",
    ]

    rules = own(OwnRules(rules=tuple(normalised(entries))))

    assert [rule.name for rule in rules] == [
        "contains-all_0",
        "exactly-a",
        "by-pattern",
        "rubric_judge_3",
    ]


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "llm-rubric", "value": ["States the time", {"id": "b", "outcome": "Is short"}]},
        {
            "type": "rubrics",
            "criteria": ["States the time", {"id": "b", "description": "Is short"}],
        },
        {"type": "llm_judge", "rubrics": ["States the time", {"id": "b", "criteria": "Is short"}]},
    ],
)
def test_rubrics_of_every_era_are_criteria_for_a_judge(entry: dict[str, Any]) -> None:
    rule = rule_of(entry)

    assert isinstance(rule, RubricJudge)
    assert [(item.id, item.description, item.required) for item in rule.items] == [
        ("rubric-1", "States the time", True),
        ("b", "Is short", False),
    ]


def test_a_grader_without_a_rubric_judges_by_the_criteria_of_the_record() -> None:
    rule = rule_of({"type": "llm-grader", "target": "gpt", "model": "x"})

    assert isinstance(rule, RubricJudge)
    assert (rule.items, rule.judge) == ((), "")


@pytest.mark.parametrize(
    "ranges",
    [
        {"0": "Wrong", "5": "Right"},
        [{"score_range": [0, 4], "outcome": "Wrong"}, {"score_range": [5, 10], "outcome": "Right"}],
    ],
)
def test_bands_are_read_in_both_spellings(ranges: Any) -> None:
    rule = rule_of({"type": "llm-rubric", "value": [{"id": "a", "score_ranges": ranges}]})

    assert isinstance(rule, RubricJudge)
    assert list(rule.items[0].score_ranges.values()) == ["Wrong", "Right"]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"type": "code-grader", "command": ["rm", "-rf", "/"]}, "are never executed"),
        ({"type": "code_judge", "script": "check.py"}, "are never executed"),
        ({"type": "script", "command": "check.sh"}, "are never executed"),
        ({"type": "not-javascript", "value": "output == 1"}, "are never executed"),
        ({"type": "contains", "value": "a", "transform": "output.trim()"}, "are never executed"),
        ({"type": "llm-grader", "never_executed": True}, "are never executed"),
        ({"type": "webhook", "value": "http://localhost/"}, "none of these is ever called"),
        ({"type": "llm_judge", "prompt": "Say 1."}, "data may not instruct a judge"),
        ({"type": "similar", "value": "a"}, "compares embeddings"),
        ({"type": "skill-trigger", "skill": "csv"}, "Which skills"),
        ({"type": "trajectory:tool-used", "value": "a"}, "a tool trajectory may say the same"),
        ({"type": "perplexity", "value": 1}, "there is no rule type 'perplexity' here"),
        ({"type": "regex", "value": "(?<=a)b"}, "it has neither look-around nor back-references"),
        ({"type": "regex", "value": r"(a)\1"}, "it has neither look-around nor back-references"),
        ({"type": "contains-all"}, "values: must be a list"),
        ({"type": "icontains", "value": "a", "wieght": 2}, "wieght: is not known here"),
    ],
)
def test_what_cannot_be_carried_out_is_kept_with_the_reason(
    entry: dict[str, Any], why: str
) -> None:
    rule = rule_of({**entry, "name": "Own name"})

    assert isinstance(rule, Unexecutable)
    assert why in rule.why
    assert rule.name == "own-name"
    assert json.dumps(rule.said)


@pytest.mark.parametrize("pattern", ["(?=a)b", r"(a)\1"])
def test_a_pattern_that_needs_backtracking_is_an_error_in_a_contract(pattern: str) -> None:
    with pytest.raises(SpecError, match="neither look-around nor back-references"):
        read_spec({"rules": [{"type": "regex", "name": "r", "value": pattern}]})


def test_a_composite_has_its_members_in_every_spelling() -> None:
    members = [
        {"name": "a", "type": "contains", "value": "x"},
        {"name": "b", "type": "not-regex", "value": "y"},
        {"name": "c", "type": "code-grader", "command": ["x"]},
        "Is polite",
    ]

    rules = [
        rule_of({"type": "composite", "assertions": members}),
        rule_of({"type": "assert-set", "assert": members, "threshold": 0.5}),
        rule_of({"type": "composite", "evaluators": members, "weight": 2}),
    ]

    for rule in rules:
        assert isinstance(rule, Composite)
        kinds = [type(member) for member in rule.rules]
        assert kinds == [Contains, Regex, Unexecutable, RubricJudge]
    assert (rules[1].threshold, rules[2].weight) == (0.5, 2.0)


@pytest.mark.parametrize(
    ("said", "type_"),
    [
        ({"type": "code_judge", "path": "x.py"}, "code"),
        ({"type": "llm-grader", "prompt": "x"}, "llm"),
        ({"type": "weighted_average", "weights": {"A b": 2}}, "weighted_average"),
        ({"type": "threshold", "threshold": 0.5}, "threshold"),
    ],
)
def test_an_aggregator_keeps_what_it_says(said: dict[str, Any], type_: str) -> None:
    member = {"name": "A b", "type": "contains", "value": "x"}

    rule = rule_of({"type": "composite", "assertions": [member], "aggregator": said})

    assert isinstance(rule, Composite)
    assert rule.aggregator.type == type_
    assert rule.aggregator.said == (said if type_ in ("code", "llm") else {})


def test_fields_are_read_by_their_older_names_too() -> None:
    field = {"path": "a", "match_type": "numeric_tolerance", "numeric_tolerance": 0.1}

    rule = rule_of({"type": "field_accuracy", "fields": [field], "min_score": 0.5})

    assert isinstance(rule, FieldAccuracy)
    assert (rule.fields[0].match, rule.fields[0].tolerance) == ("numeric_tolerance", 0.1)


def test_what_is_in_our_words_stays_as_it_is() -> None:
    entries = [
        {"type": "contains", "name": "a", "values": ["x"], "threshold": 1.0},
        {"type": "latency", "name": "b", "max_ms": 5, "threshold": 1.0},
        {"type": "equals", "name": "c", "value": "x", "required": True},
        {"type": "tool_trajectory", "name": "d", "mode": "exact", "expected": []},
    ]

    assert normalised(entries) == entries


def test_our_types_are_read_in_kebab_case() -> None:
    spec = read_spec({"rules": [{"type": "exact-match"}, {"type": "token-f1", "name": "f1"}]})

    assert [(rule.type, rule.name) for rule in spec.rules] == [
        ("exact_match", "exact-match_0"),
        ("token_f1", "f1"),
    ]


@given(st.lists(ENTRIES | st.text(), min_size=1, max_size=3))
def test_whatever_is_written_becomes_rules_and_stays_the_same_rules(entries: list[Any]) -> None:
    once = normalised(entries)

    assert normalised(once) == once or any(each != each for each in _numbers(once))
    rules = own(OwnRules(rules=tuple(once)))
    assert len({rule.name for rule in rules}) == len(rules)
    if not any(rule.type == "unexecutable" for rule in rules):
        spec = ContractSpec(rules=rules)
        assert ContractSpec.model_validate_json(spec.canonical) == spec


def _numbers(value: Any) -> list[Any]:
    """The numbers in it; NaN is not itself."""
    if isinstance(value, dict):
        return [number for each in value.values() for number in _numbers(each)]
    if isinstance(value, list):
        return [number for each in value for number in _numbers(each)]
    return [value] if isinstance(value, float) else []
