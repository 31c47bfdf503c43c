"""Token F1 and ROUGE-L."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.grading.rules import RougeL, TokenF1
from apps.grading.rules.reference import common_subsequence, tokens

from .subjects import answered


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


@pytest.mark.parametrize("rule", [TokenF1(name="r"), RougeL(name="r")])
def test_without_a_reference_there_is_no_value_but_a_reason(rule: TokenF1 | RougeL) -> None:
    score = rule.grade(answered("Paris"))

    assert (score.value, score.verdict) == (None, "skip")
    assert score.reason


@pytest.mark.parametrize("rule", [TokenF1(name="r"), RougeL(name="r")])
def test_the_longest_texts_are_compared_in_time(rule: TokenF1 | RougeL) -> None:
    answer, reference = "a b " * 50_000, "b c " * 50_000
    began = time.monotonic()

    score = rule.grade(answered(answer, reference=reference))

    assert score.value is not None
    assert 0.45 < score.value < 0.7
    assert time.monotonic() - began < 5


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
