"""Judges and people who ask the same are found by their names."""

import pytest

from apps.analysis.calibration.matching import same_question


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("grounding", ""), ("grounding", "import:scores.csv")),
        (("grounding", ""), ("is-it-grounded", "grounding_judge@1:abc")),
        (("grounding", "support_present"), ("grounded", "grounding_judge@1:abc")),
        (("relevance", ""), ("relevance", "")),
        (("generation", "response_on_topic"), ("relevance", "")),
        (("own", "polite"), ("polite", "judge@1:abc")),
    ],
)
def test_the_same_family_or_name_asks_the_same(
    asked: tuple[str, str], told: tuple[str, str]
) -> None:
    rule, verifier = told

    assert same_question(*asked, rule=rule, verifier=verifier)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("grounding", ""), ("relevance", "")),
        (("grounding", "source_cited"), ("grounding", "grounding_judge@1:abc")),
        (("own", "polite"), ("exact", "exact_match@1")),
        (("generation", "helpful"), ("relevance", "")),
    ],
)
def test_another_family_or_another_question_of_it_does_not(
    asked: tuple[str, str], told: tuple[str, str]
) -> None:
    rule, verifier = told

    assert not same_question(*asked, rule=rule, verifier=verifier)
