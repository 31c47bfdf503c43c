"""Majority, unanimity and adjudication."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.metrics.consensus import settle
from apps.metrics.labels import Marginal, Rule, Settled

RULES: list[Rule] = ["majority", "unanimity", "adjudicated"]


@pytest.mark.parametrize(
    ("labels", "rule", "label", "reason"),
    [
        (["yes"], "majority", "yes", ""),
        (["yes", "no", "yes"], "majority", "yes", ""),
        (["yes", "no"], "majority", None, "tie"),
        (["yes", "no", "yes", "no"], "majority", None, "tie"),
        (["a", "b", "c"], "majority", None, "tie"),
        (["a", "a", "b", "c"], "majority", None, "split"),
        (["a", "a", "a", "b", "c"], "majority", "a", ""),
        (["yes", "yes"], "unanimity", "yes", ""),
        (["yes", "yes", "no"], "unanimity", None, "split"),
        (["yes", "no"], "unanimity", None, "split"),
        (["yes", "yes"], "adjudicated", None, "adjudicate"),
        ([], "majority", None, "too_few"),
        ([], "unanimity", None, "too_few"),
    ],
)
def test_what_labels_come_to(labels: list[str], rule: Rule, label: str | None, reason: str) -> None:
    settled = settle(labels, rule)

    assert (settled.label, settled.reason) == (label, reason)


@pytest.mark.parametrize("rule", RULES)
def test_it_waits_for_as_many_labels_as_are_asked(rule: Rule) -> None:
    assert settle(["yes", "yes"], rule, fewest=3).reason == "too_few"
    assert settle(["yes"] * 3, rule, fewest=3).reason != "too_few"


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("labels", [[], ["yes", "yes"], ["yes", "no"]])
def test_an_adjudicators_verdict_settles_it_under_every_rule(labels: list[str], rule: Rule) -> None:
    settled = settle(labels, rule, fewest=5, verdict="no")

    assert (settled.label, settled.reason) == ("no", "")


def test_the_votes_are_told_the_most_frequent_first() -> None:
    settled = settle(["b", "c", "a", "c"], "majority")

    votes = (("c", 2), ("a", 1), ("b", 1))
    assert settled == Settled(
        label=None,
        reason="split",
        votes=tuple(Marginal(label=label, count=count) for label, count in votes),
    )


@given(st.lists(st.sampled_from("abc"), min_size=1))
def test_a_majority_has_more_than_half_and_order_does_not_matter(
    labels: list[str],
) -> None:
    settled = settle(labels, "majority")

    most = max(labels.count(each) for each in "abc")
    assert (settled.label is not None) == (2 * most > len(labels))
    assert settle(sorted(labels), "majority") == settled
    if settle(labels, "unanimity").label is not None:
        assert settled.label is not None
