"""How fast somebody labels: of the last stretch of work, or not said."""

from datetime import UTC, datetime, timedelta

from apps.labeling.members.pace import seconds_per_answer

START = datetime(2026, 1, 2, 9, tzinfo=UTC)


def moments(*minutes: float) -> list[datetime]:
    return [START + timedelta(minutes=minute) for minute in minutes]


def test_five_answers_a_minute_apart_take_a_minute_each() -> None:
    assert seconds_per_answer(moments(0, 1, 2, 3, 4)) == 60


def test_the_order_of_the_moments_does_not_matter() -> None:
    assert seconds_per_answer(moments(3, 0, 4, 1, 2)) == 60


def test_what_was_before_a_long_break_does_not_count() -> None:
    assert seconds_per_answer(moments(0, 1, 2, 3, 100, 102, 104, 106, 108)) == 120


def test_few_answers_say_nothing() -> None:
    assert seconds_per_answer(moments(0, 1, 2, 3)) is None
    assert seconds_per_answer([]) is None


def test_answers_of_one_moment_say_nothing() -> None:
    assert seconds_per_answer(moments(0, 0, 0, 0, 0)) is None
