"""What changed between two records, word by word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.datasets.comparing.differing import MOST_CHARACTERS, Span, changed_fields, words_apart
from tests.bounds import bounded

TEXTS = st.text(max_size=200)


def spelled(spans: list[Span]) -> str:
    return "".join(span.text for span in spans)


def test_only_the_words_that_differ_are_marked() -> None:
    before, after = words_apart("the red lamp", "the blue lamp")

    assert [span for span in before if span.way != "same"] == [Span("gone", "red ")]
    assert [span for span in after if span.way != "same"] == [Span("new", "blue ")]


@given(TEXTS, TEXTS)
def test_both_texts_are_whole_in_their_spans(before: str, after: str) -> None:
    left, right = words_apart(before, after)

    assert (spelled(left), spelled(right)) == (before, after)


def test_long_stretches_that_are_the_same_are_left_out() -> None:
    same = "word " * 300

    before, _ = words_apart(f"{same}red", f"{same}blue")

    assert len(spelled(before)) < 400
    assert spelled(before).endswith("red")


def test_fields_are_named_by_their_paths() -> None:
    old = {"input": {"prompt": "a"}, "tags": ["x"], "gone": 1, "same": {"deep": [1]}}
    new = {"input": {"prompt": "b"}, "tags": ["x", "y"], "came": [{"id": 1}], "same": {"deep": [1]}}

    found = {change.path: change for change in changed_fields(old, new)}

    assert set(found) == {"input.prompt", "tags", "gone", "came[0].id"}
    assert (found["gone"].before, found["gone"].after) == ([Span("gone", "1")], [])
    assert found["came[0].id"].after == [Span("new", "1")]


def test_what_is_too_long_is_cut_off_and_told() -> None:
    [change] = changed_fields({"text": "x" * 5 * MOST_CHARACTERS}, {"text": "y"})

    assert change.clipped
    assert len(change.before[0].text) == MOST_CHARACTERS


@pytest.mark.parametrize("words", ["a b ", "x", "a ", "ab cd ef ", "\n"])
def test_hostile_texts_do_not_explode(words: str) -> None:
    many = {f"field {number}": words * 60_000 for number in range(60)}
    other = {name: f"z{text}z" for name, text in many.items()}

    with bounded():
        found = changed_fields(many, other)

    assert len(found) == len(many)
