"""Tickets to the labelling desk: for one account, one page, one minute."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.labeling.members.tickets import LIFETIME_SECONDS, read, ticket

KEY = "a key that only the two of us have"
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PAGE = "/dataset/0b7e/annotation-mode?_page=1"


def test_a_ticket_says_who_may_enter_and_where() -> None:
    text = ticket("bob", PAGE, key=KEY, now=NOW)

    found = read(text, key=KEY, now=NOW + timedelta(seconds=LIFETIME_SECONDS))

    assert found
    assert (found.account, found.path) == ("bob", PAGE)


def test_no_two_tickets_are_the_same() -> None:
    texts = {ticket("bob", PAGE, key=KEY, now=NOW) for _ in range(20)}

    assert len(texts) == 20


@pytest.mark.parametrize("seconds", [-1, LIFETIME_SECONDS + 1])
def test_outside_of_its_minute_a_ticket_opens_nothing(seconds: int) -> None:
    text = ticket("bob", PAGE, key=KEY, now=NOW)

    assert read(text, key=KEY, now=NOW + timedelta(seconds=seconds)) is None


def test_no_character_of_a_ticket_can_be_changed() -> None:
    text = ticket("bob", PAGE, key=KEY, now=NOW)

    changed = [
        text[:place] + ("A" if text[place] != "A" else "B") + text[place + 1 :]
        for place in range(len(text))
    ]

    assert {read(each, key=KEY, now=NOW) for each in changed} == {None}


@pytest.mark.parametrize("text", ["", ".", "a.b", "é.ü", "bob", "." * 9])
def test_what_is_no_ticket_opens_nothing(text: str) -> None:
    assert read(text, key=KEY, now=NOW) is None


def test_a_ticket_of_another_installation_opens_nothing() -> None:
    text = ticket("bob", PAGE, key="another key", now=NOW)

    assert read(text, key=KEY, now=NOW) is None


@pytest.mark.parametrize(
    "path",
    [
        "",
        "dataset",
        "//example.org",
        "/\\example.org",
        "/\t/example.org",
        "/a\\b",
        "https://example.org",
        "javascript:alert(1)",
        "/a\nb",
        "/a b",
    ],
)
def test_a_ticket_leads_to_no_other_server(path: str) -> None:
    with pytest.raises(ValueError, match="not a path of the desk"):
        ticket("bob", path, key=KEY, now=NOW)
