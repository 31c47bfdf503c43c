"""What changed between two versions of a contract, rule by rule."""

from typing import Any

import pytest

from apps.grading.differing import differences
from apps.grading.spec import ContractSpec
from apps.grading.starters import STARTERS, starter_spec

EXACT = {"type": "exact_match", "name": "exact"}
F1 = {"type": "token_f1", "name": "f1"}
CHRF = {"type": "chrf", "name": "chrf"}


def spec(*rules: Any, **more: Any) -> ContractSpec:
    return ContractSpec.model_validate({"rules": list(rules), **more})


@pytest.mark.parametrize("starter", STARTERS)
def test_the_same_contract_differs_in_nothing(starter: Any) -> None:
    assert differences(starter_spec(starter), starter_spec(starter)).is_empty


def test_rules_are_told_apart_by_their_names() -> None:
    found = differences(spec(EXACT, F1), spec({**F1, "threshold": 0.9}, CHRF))

    assert [(rule.name, rule.change) for rule in found.rules] == [
        ("f1", "changed"),
        ("chrf", "added"),
        ("exact", "removed"),
    ]
    change = found.rules[0].settings[0]
    assert (change.title, change.before, change.after) == ("Threshold", "0.5", "0.9")


def test_a_rule_of_another_type_is_changed_in_its_type() -> None:
    found = differences(spec(F1), spec({**EXACT, "name": "f1"}))

    titles = [change.title for change in found.rules[0].settings]
    assert titles[0] == "Type"
    assert "Leave out articles" in " ".join(titles) or len(titles) > 1


def test_another_order_is_told() -> None:
    found = differences(spec(EXACT, F1, CHRF), spec(EXACT, CHRF, F1))

    assert {(rule.name, rule.change) for rule in found.rules} == {
        ("chrf", "moved"),
        ("f1", "moved"),
    }


def test_the_contract_itself_and_its_thresholds_are_compared() -> None:
    before = spec(EXACT, thresholds={"cost": {"at_most": 1}})
    after = spec(
        EXACT, passing_score=0.8, data_rules="ignore", thresholds={"pass_rate": {"at_least": 0.9}}
    )

    changes = {
        each.title: (each.before, each.after) for each in differences(before, after).settings
    }

    assert changes["Passing score"] == ("–", "0.8")
    assert changes["Rules that came with the data"] == ("combine", "ignore")
    assert changes["Cost"][1] == "–"
    assert changes["Pass rate"] == ("–", "at least 90 %, by the lower bound of its 95 % interval")
