"""What YAML can say and JSON cannot: told with its place, and never a value in a contract."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.grading.reading.texts import SpecError, read_value

RULE = "rules:\n- type: exact_match\n  name: exact\n  expected: "


def is_of_json(text: str) -> bool:
    """Whether the text is refused, or JSON gives back what was read from it."""
    try:
        value = read_value(text)
    except SpecError:
        return True
    return bool(json.loads(json.dumps(value, allow_nan=False)) == value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            RULE + "!!binary aGVsbG8=",
            "!!binary is not known here: a contract holds what JSON can say (line 4, column 13).",
        ),
        (
            RULE + "!!set {a, b}",
            "!!set is not known here: a contract holds what JSON can say (line 4, column 13).",
        ),
        ("a: !!omap [b: 1]", "!!omap is not known here"),
        ("a: !!pairs [b: 1]", "!!pairs is not known here"),
        ("a: !own 1", "!own is not known here"),
        ("a: !!python/object/apply:os.system [ls]", "!!python/object/apply:os.system is not"),
        (
            "- {1: 2}",
            "A key must be a text, in quotes where YAML reads it else: 1 is none "
            "(line 1, column 4).",
        ),
        ("yes: 1", "A key must be a text, in quotes where YAML reads it else: yes is none"),
        ("null: 1", "A key must be a text"),
        ("? [a]\n: 1", "A key must be a text"),
        ("<<: {a: 1}", "A key must be a text"),
        ("a: .nan", ".nan is not a number that JSON has (line 1, column 4)."),
        ("a: -.inf", "-.inf is not a number that JSON has (line 1, column 4)."),
        ("a: [{b: 1.0e+999}]", "1.0e+999 is not a number that JSON has (line 1, column 9)."),
        ("{a: .inf}", ".inf is not a number that JSON has (line 1, column 5)."),
        ('{"a": 1e999}', "1e999 is not a number that JSON has."),
        ("a: !!int ''", " is not what its tag !!int says (line 1, column 4)."),
        ("a: !!bool seven", "seven is not what its tag !!bool says"),
        ("a: !!float seven", "seven is not what its tag !!float says"),
        ("a: !!map seven", "This is not valid YAML: expected a mapping node"),
        ("a: !!map [seven]", "This is not valid YAML: expected a mapping node"),
        ("a: !!int [7]", "This is not valid YAML: expected a scalar node"),
        ('{"a": ["\\ud800"]}', "A text holds half a character"),
        ('a: {"\\ud800": 1}', "A text holds half a character"),
        ('{"a": ' + "[" * 70 + "]" * 70 + "}", "The contract is nested deeper than 60 levels."),
    ],
)
def test_what_json_cannot_say_is_refused_where_it_stands(text: str, sentence: str) -> None:
    with pytest.raises(SpecError) as caught:
        read_value(text)

    assert caught.value.problems[0].startswith(sentence)


def test_a_date_stays_the_text_that_it_was() -> None:
    text = "a: 2026-01-01\nb: 2026-01-01T12:00:00Z\nc: 2026-99-99\nd: =\n2026-01-02: e"

    assert read_value(text) == {
        "a": "2026-01-01",
        "b": "2026-01-01T12:00:00Z",
        "c": "2026-99-99",
        "d": "=",
        "2026-01-02": "e",
    }


@given(st.text(alphabet="a1-:[]{}!?<=&*., \n'\"~yn|>%#.if", max_size=60))
def test_any_text_is_a_value_of_json_or_refused(text: str) -> None:
    assert is_of_json(text)


@given(
    st.sampled_from(["int", "float", "bool", "null", "str", "seq", "map", "set", "timestamp"]),
    st.sampled_from(["''", "a", "-", "0x", "0b", "1:2", ":", "[1]", "{=: 1}", "{=: a}", "{a: 1}"]),
)
def test_a_tag_on_whatever_is_a_value_of_json_or_refused(tag: str, said: str) -> None:
    assert is_of_json(f"a: !!{tag} {said}")
