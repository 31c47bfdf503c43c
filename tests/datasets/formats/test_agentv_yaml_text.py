"""YAML as plain values: safe, bounded, with lines."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.datasets.formats.yaml_text import NotYaml, load_yaml, load_yaml_with_lines
from tests.bounds import bounded

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(15)
)
LONG_BOMB = "a: &a " + "x" * 100_000 + "\nb: [" + "*a, " * 1_000 + "]\n"

PLAIN = [
    ("yes", "yes"),
    ("No", "No"),
    ("on", "on"),
    ("true", True),
    ("FALSE", False),
    ("~", None),
    ("", None),
    ("null", None),
    ("2025-01-01", "2025-01-01"),
    ("12:30", "12:30"),
    ("012", 12),
    ("0o17", 15),
    ("0x1f", 31),
    ("1_000", "1_000"),
    ("+1", 1),
    (".5", 0.5),
    ("1e3", 1000.0),
    ("1.0", 1.0),
    ("'5'", "5"),
    ('"true"', "true"),
    ("123456789012345678901234567890", 123456789012345678901234567890),
]

REFUSED = [
    ("a: 1\nb: !!python/object/apply:os.system [x]\n", "Tags are not taken", 2),
    ("a: !!str 5", "Tags are not taken", 1),
    ("%TAG ! tag:x,2000:\n---\na: 1", "Tags are not taken", 1),
    (BOMB, "Aliases repeat too much", 6),
    (LONG_BOMB, "Aliases repeat too much", 2),
    ("a: &a [*a]", "contains itself", 1),
    ("a: *b", "is not defined before", 1),
    ("a: 1\nb: 2\na: 3\n", "The key 'a' is repeated", 3),
    ("? [a]\n: b", "A key must be a text", 1),
    ("a: .inf", "no number that JSON can say", 1),
    ("a: .nan", "no number that JSON can say", 1),
    ("a: 1e999", "no number that JSON can say", 1),
    ("a: " + "9" * 5_000, "no number that JSON can say", 1),
    ("a: 1\n---\nb: 2", "more than one YAML document", 2),
    ("a: b: c", "Mapping values are not allowed", 1),
    ("a: \0", "control characters are not allowed", 1),
    ("a: \ud800", "surrogates", 1),
    ("[" * 100_000, "Nested too deep", 1),
    ("{a: " * 100_000, "Nested too deep", 1),
    ("? " * 100_000, "A key must be a text", 1),
    ("- " * 100_000, "Nested too deep", 1),
    ("[" + "a," * 600_000, "more than 500,000 values", 1),
    ("<<: 5", "<< takes a mapping", 1),
]


@pytest.mark.parametrize(("spelled", "value"), PLAIN)
def test_a_plain_scalar_is_what_yaml_1_2_says(spelled: str, value: Any) -> None:
    found = load_yaml(f"key: {spelled}\n")["key"]

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "message", "line"), REFUSED, ids=[f"{n}" for n in range(len(REFUSED))]
)
def test_what_is_refused_names_its_line(text: str, message: str, line: int) -> None:
    with bounded(), pytest.raises(NotYaml, match=message) as refused:
        load_yaml(text)

    assert refused.value.line == line


def test_every_key_is_a_text() -> None:
    assert load_yaml("0: a\ntrue: b\n2025-01-01: c\n") == {"0": "a", "true": "b", "2025-01-01": "c"}


def test_an_alias_is_the_value_again_and_a_merge_gives_way_to_what_is_written() -> None:
    text = "x: &x {a: 1, b: 2}\ny:\n  <<: *x\n  b: 3\nz: [*x]\n'<<': kept\n"

    found = load_yaml(text)

    assert found["y"] == {"b": 3, "a": 1}
    assert found["z"] == [{"a": 1, "b": 2}]
    assert found["<<"] == "kept"


def test_lines_are_known_of_values_and_below_of_what_they_are_in() -> None:
    _, lines = load_yaml_with_lines(
        "# note\nname: x\ntests:\n  - id: a\n\n  - id: b\n    input: |\n"
    )

    assert lines.of("tests", 0) == 4
    assert lines.of("tests", 1) == 6
    assert lines.of("tests", 1, "input") == 7
    assert lines.of("tests", 1, "input", 5, "nowhere") == 7
    assert lines.of() == 2


@pytest.mark.parametrize("text", ["", "# only a note\n", "---\n", "\ufeff"])
def test_an_empty_document_is_nothing(text: str) -> None:
    assert load_yaml(text) is None


def test_a_megabyte_is_read_without_exploding() -> None:
    text = "- a: b\n  c: [1, 2, 3]\n  d: 'x y z'\n" * 30_000

    with bounded():
        found = load_yaml(text)

    assert len(found) == 30_000


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Zl", "Zp"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(categories=["L", "Nd"])), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(JSON)
def test_json_is_yaml(value: Any) -> None:
    assert load_yaml(json.dumps(value, ensure_ascii=False)) == value


@given(st.text())
def test_any_text_is_a_value_or_is_refused(text: str) -> None:
    with suppress(NotYaml):
        load_yaml(text)
