"""What a policy may ask, and what it is told where it cannot be."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.analysis.gates.policies.spec import (
    STARTER,
    PolicyError,
    PolicySpec,
    read_policy,
    rule_of,
    stored_policy,
)

PASS_RATE = {"metric": "pass_rate", "at_least": 0.8}


def _problem(**asked: Any) -> str:
    with pytest.raises(PolicyError) as caught:
        read_policy(asked)
    return " ".join(caught.value.problems)


def test_a_policy_is_kept_as_canonical_json_and_reads_back_as_the_same() -> None:
    spec = read_policy(
        {
            "metrics": [PASS_RATE, {"metric": "rule:exact:mean", "at_least": 0.5, "margin": 0.02}],
            "slices": [{"families": ["tag"], "margin": 0.1, "proof": "non_inferior"}],
            "blocking_rules": ["no_secrets"],
            "failure_budget": 0.01,
        }
    )

    again = stored_policy(spec.canonical)

    assert again == spec
    assert again.sha256 == spec.sha256
    assert b'"minimum_n":20' in spec.canonical


def test_the_starter_is_a_policy_that_needs_a_baseline() -> None:
    assert stored_policy(STARTER.canonical) == STARTER
    assert STARTER.needs_baseline


@pytest.mark.parametrize(
    ("asked", "needs"),
    [
        ({"metrics": [PASS_RATE]}, False),
        ({"blocking_rules": ["exact"]}, False),
        ({"failure_rate_at_most": 0.1}, False),
        ({"metrics": [{"metric": "pass_rate", "margin": 0.0}]}, True),
        ({"slices": [{}]}, True),
        ({"failure_budget": 0.0}, True),
    ],
)
def test_only_what_is_held_to_another_run_needs_a_baseline(
    asked: dict[str, Any], needs: bool
) -> None:
    assert read_policy(asked).needs_baseline is needs


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({}, "the policy holds a run to nothing: add a metric or another check."),
        ({"metrics": [{"metric": "pass_rate"}]}, "pass_rate is held to nothing: say at_least"),
        ({"metrics": [{"metric": "beauty", "at_least": 1}]}, "beauty is no metric of a run"),
        ({"metrics": [{"metric": "rule::mean", "at_least": 1}]}, "rule::mean is no metric"),
        ({"metrics": [{"metric": "pass_rate", "at_most": 0.5}]}, "is better when high"),
        ({"metrics": [{"metric": "latency_p95", "at_least": 0.5}]}, "is better when low"),
        ({"metrics": [{"metric": "latency_p95", "margin": 5}]}, "latency_p95 has no margin"),
        ({"metrics": [{"metric": "latency_mean", "at_most": 5}]}, "hold latency_p95"),
        ({"metrics": [{"metric": "pass_rate", "margin": 3}]}, "lies between 0 and 1"),
        (
            {"metrics": [{"metric": "rule:a:mean", "at_least": 0.9, "at_most": 0.1}]},
            "cannot be at least 0.9 and at most 0.1",
        ),
        ({"metrics": [PASS_RATE, PASS_RATE]}, "metrics: pass_rate is named twice"),
        ({"slices": [{}, {}]}, "slices: pass_rate is held twice to the same proof"),
        ({"slices": [{"families": ["tag", "tag"]}]}, "the family tag is named twice"),
        ({"blocking_rules": ["a", "a"]}, "blocking_rules: a is named twice"),
        ({"blocking_rules": ["a\0"]}, "only printable characters"),
        ({"blocking_rules": [f"r{n}" for n in range(51)]}, "must have at most 50"),
        ({"metrics": [PASS_RATE], "minimum_n": 0}, "minimum_n: should be greater than"),
        ({"metrics": [PASS_RATE], "minimum_m": 5}, "minimum_m: is not known here"),
        ({"metrics": [{"metric": "cost_mean", "at_most": float("inf")}]}, "finite"),
        ({"metrics": [{"metric": "cost_mean", "at_most": 1e300}]}, "less than or equal"),
        ({"metrics": [{"metric": "cost_mean", "at_most": "cheap"}]}, "must be a number"),
        ({"metrics": "pass_rate"}, "metrics: must be a list"),
        ({"slices": [{"metric": "latency_mean"}]}, "slices[0].metric"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(asked: dict[str, Any], sentence: str) -> None:
    assert sentence in _problem(**asked)


def test_the_rule_of_a_metric_may_have_colons_of_its_own() -> None:
    assert rule_of("rule:grounding · model_based · import:judge.csv:mean") == (
        "grounding · model_based · import:judge.csv"
    )
    assert rule_of("pass_rate") == ""


_NAMES = st.sampled_from(["pass_rate", "cost_mean", "rule:a:mean", "latency_mean", "pass^3", ""])
_NUMBERS = st.one_of(st.none(), st.floats(), st.integers(), st.booleans(), st.text(max_size=5))
_JSON = st.recursive(
    st.one_of(_NUMBERS, st.text(max_size=20)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)
_METRICS = st.fixed_dictionaries(
    {"metric": st.one_of(_NAMES, _JSON)},
    optional={"at_least": _JSON, "at_most": _NUMBERS, "by": _JSON, "margin": _NUMBERS},
)
_SLICES = st.fixed_dictionaries({}, optional={"families": _JSON, "margin": _NUMBERS, "x": _JSON})
_POLICIES = st.fixed_dictionaries(
    {},
    optional={
        "metrics": st.one_of(_JSON, st.lists(_METRICS, max_size=4)),
        "slices": st.one_of(_JSON, st.lists(_SLICES, max_size=3)),
        "minimum_n": _JSON,
        "blocking_rules": _JSON,
        "failure_budget": _NUMBERS,
        "failure_rate_at_most": _NUMBERS,
        "calibrated_only": _JSON,
    },
)


@given(_POLICIES)
def test_whatever_is_given_is_a_policy_or_refused_in_sentences(asked: dict[str, Any]) -> None:
    problems, spec = _read(asked)

    assert all(problem.endswith(".") for problem in problems)
    assert bool(problems) is (spec is None)
    assert spec is None or stored_policy(spec.canonical) == spec


def _read(asked: dict[str, Any]) -> tuple[tuple[str, ...], PolicySpec | None]:
    try:
        return (), read_policy(asked)
    except PolicyError as error:
        return error.problems, None
