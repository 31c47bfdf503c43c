"""Questions of one's own, one a line."""

import pytest

from apps.labeling.making.own_questions import read

TEXT = """
helpful: Is it helpful? [yes/no]
tone: What is the tone? [one: friendly; neutral; rude]

topics: What is it about? [several: price; delivery]
depth: How deep does it go? [1-5]
why: What would you change? [text]
"""


def test_each_kind_is_read() -> None:
    questions = read(TEXT)

    assert [(each.name, each.kind) for each in questions] == [
        ("helpful", "yes_no"),
        ("tone", "choice"),
        ("topics", "several"),
        ("depth", "rating"),
        ("why", "text"),
    ]
    assert questions[0].title == "Is it helpful?"
    assert [option.value for option in questions[1].options] == ["friendly", "neutral", "rude"]
    assert [option.value for option in questions[3].options] == ["1", "2", "3", "4", "5"]
    assert questions[3].level == "ordinal"
    assert not questions[4].required


@pytest.mark.parametrize(
    "line", ["Is it good?", "good: Is it?", "Good: Is it? [yes/no]", "good: Is it? [maybe]"]
)
def test_a_line_that_cannot_be_read_is_named(line: str) -> None:
    with pytest.raises(ValueError, match="Line 2"):
        read(f"helpful: Is it helpful? [yes/no]\n{line}")


def test_nothing_asks_nothing() -> None:
    assert read(" \n") == ()
