"""The tools that were called, held against those that should be, in each mode."""

from typing import Any

import pytest

from apps.grading.contracts import Subject
from apps.grading.rules.agents.arguments import fits, same
from apps.grading.subjects import ToolCall, Turn

from .calls import called, graded, steps, texts

# -- any_order ------------------------------------------------------------------------------


def test_in_any_order_each_tool_is_counted_against_its_minimum() -> None:
    score = graded(
        called("search", "read", "search"),
        mode="any_order",
        minimums={"search": 2, "read": 1, "order": 1, "delete": 0},
    )

    assert score.value == 0.75
    assert texts(score) == [
        ("search: called 2 times (required ≥2)", True),
        ("read: called 1 times (required ≥1)", True),
        ("order: called 0 times (required ≥1)", False),
        ("delete: called 0 times (required ≥0)", True),
    ]


def test_counts_are_enough_for_any_order_and_for_no_other_mode() -> None:
    counted = Subject(tool_counts={"search": 1})

    assert graded(counted, mode="any_order", minimums={"search": 1}).value == 1
    score = graded(counted, mode="exact", expected=steps("search"))
    assert (score.verdict, score.reason) == (
        "skip",
        "Only how often each tool was called is known, not in which order or with what.",
    )


# -- in_order -------------------------------------------------------------------------------


def test_in_order_others_may_stand_between() -> None:
    score = graded(
        called("init", "search", "think", "order"),
        mode="in_order",
        expected=steps("search", "order"),
    )

    assert score.value == 1
    assert texts(score) == [
        ("Found search at position 1", True),
        ("Found order at position 3", True),
    ]


def test_a_missing_step_uses_up_the_rest() -> None:
    score = graded(
        called("search", "report"), mode="in_order", expected=steps("search", "analyze", "report")
    )

    assert score.value == pytest.approx(1 / 3)
    assert texts(score)[1:] == [
        ("Expected analyze at position 1, not found in remaining trace", False),
        ("Expected report at position 2, not found in remaining trace", False),
    ]


def test_a_step_with_other_arguments_is_used_up() -> None:
    expected = [{"tool": "search", "args": {"q": "a"}}, {"tool": "order"}]

    score = graded(
        called(("search", {"q": "b"}), ("search", {"q": "a"}), "order"),
        mode="in_order",
        expected=expected,
    )

    assert score.value == 0.5
    assert texts(score)[0] == (
        "Expected search at position 0: tool found at 0 but args mismatch",
        False,
    )


# -- exact ----------------------------------------------------------------------------------


def test_exact_is_place_by_place() -> None:
    score = graded(
        called("search", "wrong", ("order", {"id": 8})),
        mode="exact",
        expected=[*steps("search", "read"), {"tool": "order", "args": {"id": 7}}, *steps("pay")],
    )

    assert score.value == 0.25
    assert texts(score) == [
        ("Position 0: search", True),
        ("Position 1: expected read, got wrong", False),
        ("Position 2: order args mismatch", False),
        ("Position 3: expected pay, got nothing", False),
    ]


def test_a_call_too_many_is_not_exact() -> None:
    score = graded(called("search", "delete"), mode="exact", expected=steps("search"))

    assert (score.value, score.verdict) == (0.5, "fail")
    assert texts(score)[1] == ("Position 1: expected nothing, got delete", False)


def test_exactly_nothing_allows_no_call() -> None:
    assert graded(called(), mode="exact").value == 1
    assert graded(called("search"), mode="exact").value == 0


# -- superset and subset --------------------------------------------------------------------


def test_superset_counts_each_call_once() -> None:
    score = graded(
        called("order", "search"), mode="superset", expected=steps("search", "search", "order")
    )

    assert score.value == pytest.approx(2 / 3)
    assert texts(score) == [
        ("Found search at position 1", True),
        ("Expected search not found in actual trajectory", False),
        ("Found order at position 0", True),
    ]


def test_subset_allows_each_step_as_often_as_one_likes() -> None:
    score = graded(
        called("read", "read", "delete"), mode="subset", expected=steps("read", "search")
    )

    assert score.value == pytest.approx(2 / 3)
    assert texts(score) == [
        ("Position 0: read is in allowed set", True),
        ("Position 1: read is in allowed set", True),
        ("Position 2: delete is not in allowed set", False),
    ]


def test_no_call_at_all_is_a_subset_of_anything() -> None:
    score = graded(called(), mode="subset", expected=steps("read"))

    assert score.value == 1
    assert texts(score) == [("No actual tool calls (trivially a subset)", True)]
    assert graded(called("read"), mode="subset").value == 0


# -- arguments ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "given", "how", "fit"),
    [
        ({"a": 1}, {"a": 1}, "exact", True),
        ({"a": 1}, {"a": 1.0}, "exact", True),
        ({"a": 1}, {"a": True}, "exact", False),
        ({"a": 1}, {"a": 1, "b": 2}, "exact", False),
        ({"a": 1}, {"a": 1, "b": 2}, "superset", True),
        ({"a": 1, "b": 2}, {"a": 1}, "superset", False),
        ({"a": 1, "b": 2}, {"a": 1}, "subset", True),
        ({"a": 1}, {"a": 1, "b": 2}, "subset", False),
        ({"a": 1}, {}, "ignore", True),
        ({"a": 1}, None, "ignore", True),
        ("any", None, "exact", True),
        ({"a": 1}, None, "exact", False),
        (("a", "b"), {"a": 1, "b": None, "c": 3}, "exact", True),
        (("a", "b"), {"a": 1}, "exact", False),
        ({"a": {"b": 1}, "c": 2}, {"a": {"b": 1, "x": 0}, "c": 3}, ("a.b",), True),
        ({"a": {"b": 1}, "c": 2}, {"a": {"b": 1}, "c": 3}, ("a.b", "c"), False),
        ({"a": 1}, {"a": 1}, ("nowhere",), True),
        ({"a": [1, {"b": 2}]}, '{"a": [1, {"b": 2}]}', "exact", True),
        ({"a": 1}, "not json", "exact", False),
        ({"a": 1}, "[1]", "exact", False),
    ],
)
def test_arguments_are_compared_as_the_step_says(
    expected: Any, given: Any, how: Any, fit: bool
) -> None:
    assert fits(expected, given, how) is fit


def test_a_step_may_compare_otherwise_than_the_rule() -> None:
    expected = [
        {"tool": "search", "args": {"q": "a"}, "args_match": "superset"},
        {"tool": "order", "args": {"id": 7}},
    ]
    calls = called(("search", {"q": "a", "limit": 9}), ("order", {"id": 7, "note": "x"}))

    assert graded(calls, mode="exact", expected=expected).value == 0.5
    assert graded(calls, mode="exact", expected=expected, args_match=["id"]).value == 1


def test_nesting_of_any_depth_is_compared() -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]

    assert same(deep, deep)


# -- durations ------------------------------------------------------------------------------


def test_a_duration_is_one_more_thing_to_be_right() -> None:
    subject = Subject(
        turns=(
            Turn(
                role="assistant",
                tool_calls=(
                    ToolCall(name="read", duration_ms=45),
                    ToolCall(name="edit", duration_ms=900),
                    ToolCall(name="write"),
                ),
            ),
        )
    )
    limits = [{"tool": name, "max_duration_ms": 500} for name in ("read", "edit", "write", "send")]

    score = graded(subject, mode="in_order", expected=limits)

    assert score.value == pytest.approx(4 / 7)
    assert texts(score) == [
        ("Found read at position 0", True),
        ("read completed in 45ms (max: 500ms)", True),
        ("Found edit at position 1", True),
        ("edit took 900ms (max: 500ms)", False),
        ("Found write at position 2", True),
        ("Expected send at position 3, not found in remaining trace", False),
        ("send has no call to time (max: 500ms)", False),
    ]
