"""Which rules judge an answer: the contract's, the dataset's, the record's."""

from apps.datasets import subjects
from apps.grading.rules import ExactMatch
from apps.grading.spec import ContractSpec
from apps.runs.engine.ruling import Rules

SPEC = ContractSpec(rules=(ExactMatch(name="exact"), ExactMatch(name="shared")))
HEADER = {
    "metadata": {
        "grading_rules": [
            {"type": "contains", "name": "shared", "value": "please"},
            {"type": "contains", "name": "polite", "value": "please"},
        ]
    }
}
PLAIN = {"record_id": "q1", "input": {"prompt": "Why?"}}
OWN = PLAIN | {"metadata": {"grading_rules": [{"type": "is-json", "name": "polite"}]}}


def test_the_rules_of_the_dataset_stand_beside_the_contracts_and_replace_those_of_their_name() -> (
    None
):
    rules = Rules(SPEC, [], dataset=subjects.of_dataset(HEADER)).of(subjects.given(PLAIN))

    assert rules is not None
    assert [(rule.name, rule.type) for rule in rules.rules] == [
        ("exact", "exact_match"),
        ("shared", "contains"),
        ("polite", "contains"),
    ]
    assert rules.sources == ("contract", "dataset", "dataset")


def test_a_rule_of_the_record_counts_before_that_of_the_dataset() -> None:
    rules = Rules(None, [], dataset=subjects.of_dataset(HEADER)).of(subjects.given(OWN))

    assert rules is not None
    assert [(rule.name, rule.type) for rule in rules.rules] == [
        ("shared", "contains"),
        ("polite", "is_json"),
    ]
    assert rules.sources == ("dataset", "record")


def test_a_contract_that_ignores_the_rules_of_the_data_stands_alone() -> None:
    alone = SPEC.model_copy(update={"data_rules": "ignore"})

    rules = Rules(alone, [], dataset=subjects.of_dataset(HEADER)).of(subjects.given(OWN))

    assert rules is alone


def test_without_any_rules_there_are_none() -> None:
    rules = Rules(None, [], dataset=subjects.of_dataset({})).of(subjects.given(PLAIN))

    assert rules is None


def test_runs_of_before_there_were_rules_of_the_data_are_judged_by_the_contract_alone() -> None:
    found = Rules(SPEC, [], dataset=subjects.of_dataset(HEADER), of_the_data=False)

    assert found.of(subjects.given(OWN)) is SPEC
