"""Token F1, ROUGE-L, chrF and edit distance."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.grading.contracts import Subject
from apps.grading.rules import RougeL, Rule, TokenF1
from apps.grading.rules.answers.characters import Chrf, EditDistance
from apps.grading.rules.answers.reference import common_subsequence, tokens
from tests.bounds import bounded
from tests.grading.subjects import answered


@pytest.mark.parametrize(
    ("answer", "reference", "value"),
    [
        ("Paris", "Paris", 1.0),
        ("the Paris!", "A PARIS", 1.0),
        ("London", "Paris", 0.0),
        ("cat cat", "cat", 2 / 3),  # P 1/2, R 1
        ("the cat sat on the mat", "a cat sat on a mat", 1.0),
        ("one two", "two three four", 2 / 5),  # P 1/2, R 1/3
        ("don't", "dont", 1.0),
        ("the", "an", 1.0),  # nothing is left on either side
        ("", "Paris", 0.0),
        ("東京です", "東京", 2 / 3),  # by characters: P 2/4, R 1
    ],
)
def test_token_f1_is_that_of_the_squad_paper(answer: str, reference: str, value: float) -> None:
    score = TokenF1(name="f1").grade(answered(answer, reference=reference))

    assert score.value == pytest.approx(value)


def test_articles_count_where_the_rule_keeps_them() -> None:
    rule = TokenF1(name="f1", drop_articles=False)

    score = rule.grade(answered("the cat", reference="a cat"))

    assert score.value == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("answer", "reference", "value"),
    [
        ("police kill the gunman", "police killed the gunman", 3 / 4),  # Lin 2004, section 3.1
        ("the gunman kill police", "police killed the gunman", 2 / 4),  # the same paper
        ("a b c", "c b a", 1 / 3),
        ("x", "y", 0.0),
        ("well-known", "well known", 1.0),
        ("", "word", 0.0),
    ],
)
def test_rouge_l_rewards_words_in_order(answer: str, reference: str, value: float) -> None:
    score = RougeL(name="rouge").grade(answered(answer, reference=reference))

    assert score.value == pytest.approx(value)


@pytest.mark.parametrize(
    ("options", "answer", "reference", "value"),
    [
        ({}, "the cat", "the cat", 1.0),
        ({}, "", "the cat", 0.0),
        ({}, "xyz", "abc", 0.0),
        ({}, "The cat", "the cat", 0.5917),  # the mean of 5/6, 4/5, 3/4, 2/3, 1/2 and 0
        ({"ignore_case": True}, "The cat", "the cat", 1.0),
        ({}, "ab", "abc", 0.6364),  # of n-grams of 1 and 2: P 1, R the mean of 2/3 and 1/2
    ],
)
def test_chrf_is_that_of_sacrebleu(
    options: dict[str, Any], answer: str, reference: str, value: float
) -> None:
    score = Chrf(name="chrf", **options).grade(answered(answer, reference=reference))

    assert score.value == pytest.approx(value, abs=0.001)
    assert "nc:6" in (score.raw or {})["signature"]


def test_words_count_too_where_the_rule_is_chrf_with_words() -> None:
    subject = answered("the cat sat", reference="the dog sat")

    plain, words = (Chrf(name="c", word_order=order).grade(subject).value for order in (0, 2))

    assert plain is not None
    assert words is not None
    assert plain != words


@pytest.mark.parametrize(
    ("options", "answer", "reference", "value"),
    [
        ({}, "kitten", "kitten", 1.0),
        ({}, "sitting", "kitten", 1 - 3 / 7),
        ({}, "", "kitten", 0.0),
        ({}, "KITTEN", "kitten", 0.0),
        ({"ignore_case": True}, "KITTEN", "kitten", 1.0),
        ({}, "cafe\u0301", "caf\u00e9", 1.0),
        ({"nfc": False}, "cafe\u0301", "caf\u00e9", 1 - 2 / 5),
    ],
)
def test_the_edit_distance_is_that_of_levenshtein(
    options: dict[str, Any], answer: str, reference: str, value: float
) -> None:
    score = EditDistance(name="edit", **options).grade(answered(answer, reference=reference))

    assert score.value == pytest.approx(value)


RULES = (TokenF1(name="r"), RougeL(name="r"), Chrf(name="r"), EditDistance(name="r"))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.type)
def test_without_a_reference_there_is_no_value_but_a_reason(rule: Rule) -> None:
    score = rule.grade(answered("Paris"))

    assert (score.value, score.verdict) == (None, "skip")
    assert score.reason


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.type)
def test_the_best_of_several_reference_answers_counts(rule: Rule) -> None:
    subject = Subject(response="the cat sat", reference_answers=("a dog", "", "the cat sat", "x"))

    score = rule.grade(subject)

    assert score.value == 1.0
    assert (score.raw or {})["references"] == 3


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.type)
def test_the_longest_texts_are_compared_without_exploding_or_get_a_reason(rule: Rule) -> None:
    answer, reference = "a b " * 50_000, "b c " * 50_000

    with bounded():
        score = rule.grade(answered(answer, reference=reference))

    if rule.type == "edit_distance":
        assert (score.value, score.verdict) == (None, "skip")
        assert score.reason == "The answer and its references are too long to be compared."
    else:
        assert score.value is not None
        assert 0 < score.value < 0.7


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.type)
def test_very_many_references_get_a_reason_and_no_value(rule: Rule) -> None:
    many = tuple(f"{number} " * 400 for number in range(2_000))

    with bounded():
        score = rule.grade(Subject(response="\u6771" * 200_000, reference_answers=many))

    assert (score.value, score.verdict) == (None, "skip")


@given(st.text(max_size=40), st.lists(st.text(max_size=40), min_size=1, max_size=3))
def test_no_reference_makes_a_value_lower(answer: str, references: list[str]) -> None:
    for rule in RULES:
        few = rule.grade(Subject(response=answer, reference_answers=tuple(references[:1])))
        all_ = rule.grade(Subject(response=answer, reference_answers=tuple(references)))

        assert few.value is None or (all_.value is not None and all_.value >= few.value)


words = st.lists(st.sampled_from("abcd"), max_size=12)


@given(words, words)
def test_the_common_subsequence_is_the_longest(left: list[str], right: list[str]) -> None:
    found = common_subsequence(left, right)

    assert found == _by_the_book(left, right)


@given(st.text(max_size=40), st.text(min_size=1, max_size=40))
def test_overlap_does_not_depend_on_the_order_of_the_two(left: str, right: str) -> None:
    for rule in (TokenF1(name="f1"), RougeL(name="rouge")):
        forth = rule.grade(answered(left, reference=right))
        back = rule.grade(answered(right, reference=left))

        assert forth.value is None or back.value is None or forth.value == back.value


def test_punctuation_of_every_script_separates_words() -> None:
    assert tokens("Ja—nein。«Doch»!") == ["ja", "nein", "doch"]


def _by_the_book(left: list[str], right: list[str]) -> int:
    row = [0] * (len(right) + 1)
    for mine in left:
        above = row
        row = [0]
        for column, theirs in enumerate(right):
            row.append(above[column] + 1 if mine == theirs else max(above[column + 1], row[-1]))
    return row[-1]
