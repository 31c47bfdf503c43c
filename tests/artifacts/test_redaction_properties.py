"""What holds for any text: said by hypothesis."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.artifacts.redaction import Redactor

from .test_redaction import ANTHROPIC, AWS, GITHUB, GOOGLE, JWT, OPENAI, PERSONAL, SLACK, STRIPE

KEYS = [OPENAI, ANTHROPIC, AWS, GITHUB, GOOGLE, JWT, SLACK, STRIPE]
ALIKE = [
    *KEYS,
    *(planted for _, planted, _ in PERSONAL),
    *(
        "[REDACTED:email]",
        "[REDACTED:",
        "password=",
        "://",
        "@",
        ".",
        ":",
        "-",
        " ",
        "\n",
        "1",
        "+",
    ),
    *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "\ud800", "é", "Bearer "),
]
patiently = settings(max_examples=200, deadline=None)  # the first phone number loads tables
TEXTS = st.text(st.characters(exclude_categories=())) | st.lists(
    st.sampled_from(ALIKE) | st.text(max_size=5), max_size=12
).map("".join)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=8
)


@patiently
@given(TEXTS)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    redactor = Redactor(personal=True, known=["swordfish"])

    once = redactor.text(text)

    assert redactor.text(once) == once


@patiently
@given(TEXTS)
def test_the_same_text_gives_the_same_result_and_the_same_counts(text: str) -> None:
    first, second = Redactor(personal=True), Redactor(personal=True)

    assert first.text(text) == second.text(text)
    assert first.counts == second.counts


@patiently
@given(TEXTS)
def test_a_redacted_text_is_at_most_four_times_as_long(text: str) -> None:
    assert len(Redactor(personal=True).text(text)) <= 4 * len(text) + 24


@patiently
@given(VALUES)
def test_a_value_keeps_its_shape_and_is_redacted_once(value: Any) -> None:
    redactor = Redactor(personal=True)

    once = redactor.value(value)

    assert _shape(once) == _shape(value)
    assert redactor.value(once) == once


@patiently
@given(st.text(), st.sampled_from(KEYS), st.sampled_from(' \n"(,='), st.text())
def test_no_planted_key_survives(before: str, key: str, edge: str, after: str) -> None:
    redacted = Redactor().text(f"{before}{edge}{key} {after}")

    assert key not in redacted


@patiently
@given(TEXTS, st.text(min_size=6).filter(lambda secret: "REDACTED" not in secret), TEXTS)
def test_no_secret_in_use_survives(before: str, secret: str, after: str) -> None:
    redacted = Redactor(known=[secret]).text(before + secret + after)

    assert secret not in redacted.replace("[REDACTED:known_secret]", "\0")


@patiently
@given(st.lists(st.from_regex(r"[a-z]{1,12}", fullmatch=True), min_size=1, max_size=60))
def test_plain_words_are_untouched(words: list[str]) -> None:
    text = " ".join(words)

    assert Redactor(personal=True).text(text) == text


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return [_shape(member) for member in value.values()]
    if isinstance(value, list):
        return [_shape(member) for member in value]
    return type(value).__name__
