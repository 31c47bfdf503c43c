"""Contracts as text: what is read, what is refused, and in which words."""

from typing import Any

import pytest

from apps.grading.documents import read_spec, write_yaml
from apps.grading.reading.texts import SpecError
from apps.grading.rules import RULES, ValidJson
from apps.grading.spec import ContractSpec
from apps.grading.starters import STARTERS, starter_spec
from tests.bounds import bounded

EXACT = {"type": "exact_match", "name": "exact"}


def group(*rules: Any) -> dict[str, Any]:
    return {"type": "composite", "name": "g", "rules": list(rules)}


def problems(source: Any) -> tuple[str, ...]:
    with pytest.raises(SpecError) as caught:
        read_spec(source)
    return caught.value.problems


@pytest.mark.parametrize(
    "text",
    [
        '{"rules": [{"type": "exact_match", "name": "exact"}]}',
        "rules:\n- type: exact_match\n  name: exact\n",
        "rules: [{type: exact_match, name: exact}]",
    ],
)
def test_json_and_yaml_read_as_the_same_contract(text: str) -> None:
    assert read_spec(text) == ContractSpec.model_validate({"rules": [EXACT]})


@pytest.mark.parametrize("spec", [starter_spec(starter) for starter in STARTERS])
def test_what_is_written_as_yaml_reads_back_with_the_same_hash(spec: ContractSpec) -> None:
    assert read_spec(write_yaml(spec)).sha256 == spec.sha256


def test_a_schema_survives_yaml() -> None:
    schema = {"type": "object", "properties": {"é": {"enum": ["no", "2026-01-01", 1.5]}}}
    spec = ContractSpec(rules=(ValidJson(name="json", json_schema=schema),))

    assert read_spec(write_yaml(spec)) == spec


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ([], "a contract needs at least one rule."),
        ([{"type": "regex"}], "rules[0].pattern: is required."),
        (
            [{"name": "exact"}],
            "rules[0] (exact): type is required: one of those in the catalog of rules.",
        ),
        (
            [EXACT, {"type": "guess", "name": "g"}],
            f"rules[1] (g): there is no rule type 'guess'; the {len(RULES)} types are exact_match",
        ),
        (
            [{"type": "exact_mach", "name": "g"}],
            "rules[0] (g): there is no rule type 'exact_mach'; near it is exact_match.",
        ),
        (
            [{**EXACT, "threshold": 3}],
            "rules[0] (exact).threshold: should be less than or equal to 1 (given: '3').",
        ),
        (
            [{"type": "field_accuracy", "name": "f", "fields": [{"path": "a", "wieght": 1}]}],
            "rules[0] (f).fields[0].wieght: is not known here; check the spelling or remove it.",
        ),
        (
            [{"type": "field_accuracy", "name": "f", "fields": []}],
            "rules[0] (f).fields: must have at least 1, and has 0.",
        ),
        (
            [{**EXACT, "treshold": 1}],
            "rules[0] (exact).treshold: is not known here; check the spelling or remove it.",
        ),
        (
            [{"type": "regex", "name": "r", "pattern": "("}],
            "rules[0] (r): RE2 refuses the pattern '(': missing ): (.",
        ),
        (
            [{"type": "valid_json", "name": "j", "json_schema": {"$ref": "http://x"}}],
            "rules[0] (j): $ref 'http://x' is not local: it must start with #.",
        ),
        ([EXACT, EXACT], "two rules are named exact; each name may stand once."),
        (
            [group({"type": "contans", "name": "a"})],
            "rules[0] (g).rules[0] (a): there is no rule type 'contans'; near it is contains.",
        ),
        (
            [group(group({**EXACT, "treshold": 1}))],
            "rules[0] (g).rules[0] (g).rules[0] (exact).treshold: is not known here; ",
        ),
        (
            [{**EXACT, "name": "Exact!"}],
            "rules[0] (Exact!).name: a name has only a-z, 0-9, _ and -, at most 64",
        ),
        ([{**EXACT, "blocking": "perhaps"}], "rules[0] (exact).blocking: must be true or false"),
        ([group()], "rules[0] (g).rules: must have at least 1"),
        ("exact", "rules: must be a list (given: 'exact')."),
        ([7], "rules[0]: must be an object (given: '7')."),
    ],
)
def test_a_problem_says_where_it_is_and_what_is_wrong(rules: Any, sentence: str) -> None:
    found = problems({"rules": rules})

    assert len(found) == 1
    assert found[0].startswith(sentence)


def test_a_rule_without_a_name_is_named_after_its_type_and_place() -> None:
    spec = read_spec({"rules": [EXACT, {"type": "exact_match"}, {"type": "token_f1"}]})

    assert [rule.name for rule in spec.rules] == ["exact", "exact_match_1", "token_f1_2"]


def test_every_problem_is_listed_and_many_are_cut() -> None:
    several = problems({"rules": [{**EXACT, "weight": -1, "threshold": 2}], "extra": 1})
    many = problems({"rules": [{"type": "regex"}] * 40})

    assert len(several) == 3
    assert len(many) == 21
    assert many[-1] == "And 20 more."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "A contract is an object"),
        ("- 1", "A contract is an object"),
        ("{", "This is not valid JSON: Expecting property name"),
        ('{"rules": [], "rules": []}', "The key 'rules' stands twice in one object."),
        ("rules: []\nrules: []", "The key 'rules' stands twice in one object."),
        ('{"rules": NaN}', "NaN is not a number that JSON has."),
        ('{"a": ' + "9" * 5_000 + "}", "This is not valid JSON: Exceeds the limit"),
        ('{"a": ' + "[" * 100_000, "The contract is nested deeper than 60 levels."),
        ("[" * 100_000, "The contract is nested deeper than 60 levels."),
        ("rules: [", "This is not valid YAML: "),
        ("rules: 2026-99-99", "rules: must be a list"),
        ("rules: &a [*a, *a]", "Aliases (*name) are not allowed"),
        (
            "rules: !!python/object/apply:os.system [ls]",
            "!!python/object/apply:os.system is",
        ),
        ("rules: " + "1:" * 50_000 + "1", "A number has more than 1,000 digits."),
        ("rules: \x00", "This is not valid YAML: "),
        ("rules: " + "x" * 500_000, "The contract has more than 500,000 characters."),
    ],
)
def test_a_text_that_is_no_contract_is_refused(text: str, sentence: str) -> None:
    with bounded(10):
        found = problems(text)

    assert found[0].startswith(sentence)


@pytest.mark.parametrize("document", [{"rules": [{**EXACT, "expected": "\ud800"}]}])
def test_text_that_no_database_keeps_is_refused(document: dict[str, Any]) -> None:
    assert problems(document)[0].startswith("rules[0] (exact).expected: should be a valid string")
