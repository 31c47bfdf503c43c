"""Rules of three sources: what replaces what, how many are read, what is never carried out."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.datasets import subjects
from apps.grading.combining import MOST_RULES, NO_RULES, OwnRules, in_force, own
from apps.grading.contracts import Judgment
from apps.grading.dialects import normalised
from apps.grading.dialects.scenarios import of_rules
from apps.grading.rules import Contains, ExactMatch
from apps.grading.rules.unexecutable import Unexecutable
from apps.grading.spec import ContractSpec, RuleSet, judge
from apps.grading.subjects import Subject
from tests.bounds import bounded

HELLO = {"type": "contains", "value": "hello"}
SAYS_HELLO = Subject(response="hello")
SPEC = ContractSpec(rules=(Contains(name="contains_0", value="please"),))


def data(*entries: dict[str, Any], **said: Any) -> OwnRules:
    return OwnRules(rules=entries, **said)


def places(rules: RuleSet) -> list[tuple[str, str]]:
    return [(rule.name, source) for rule, source in zip(rules.rules, rules.sources, strict=True)]


def judged(*entries: dict[str, Any], judges: tuple[str, ...] = ()) -> Judgment:
    return judge(in_force(None, NO_RULES, data(*entries), judges=judges), SAYS_HELLO)


# -- what is never carried out ----------------------------------------------------------------


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "rubric_judge", "items": [{"id": "kind", "title": "Is kind"}]},
        {"type": "criteria_judge", "default_criteria": ["overall"]},
        {"type": "criteria_judge", "when_missing": "skip"},
        {"type": "vibes"},
        {"type": "max_tool_calls", "expected": "a dozen"},
        {"type": "code-grader", "command": ["python", "check.py"]},
        {"type": "code-grader", "when_missing": "skip"},
        of_rules([{"type": "vibes_good", "blocking": False, "required": True}])[0],
    ],
    ids=lambda entry: entry["type"],
)
def test_a_required_rule_that_is_never_carried_out_is_not_passed(entry: dict[str, Any]) -> None:
    found = judged(HELLO, {**entry, "blocking": False, "required": True})

    assert found.outcome == "unjudged"


@pytest.mark.parametrize(
    "said",
    [
        {"blocking": False},
        {"blocking": "no", "weight": "2.5"},
        {"required": True, "weight": 0},
        {"blocking": True, "required": False, "weight": 3},
    ],
)
@pytest.mark.parametrize("kind", ["vibes", "regex", "scenario"])
def test_what_cannot_be_read_counts_as_much_as_it_says(said: dict[str, Any], kind: str) -> None:
    entry = {"type": kind, **said}
    written = of_rules([entry])[0] if kind == "scenario" else entry

    (rule,) = own(data(written))

    expected = Contains(name="it", value="x", **said)
    assert isinstance(rule, Unexecutable)
    assert (rule.blocking, rule.required, rule.weight) == (
        expected.blocking,
        expected.required,
        expected.weight,
    )


@pytest.mark.parametrize(
    "said", [{"weight": "heavy"}, {"blocking": None}, {"required": [1]}, {"weight": 10**400}]
)
def test_what_it_says_of_that_and_cannot_be_read_either_is_as_if_unsaid(
    said: dict[str, Any],
) -> None:
    (rule,) = own(data(*of_rules([{"type": "vibes_good", **said, "blocking": None}])))

    assert isinstance(rule, Unexecutable)
    assert rule.why == "Scenarios know no rule of the type vibes_good."
    assert (rule.blocking, rule.required, rule.weight) == (True, False, 1.0)


def test_a_rule_of_a_scenario_that_nobody_knows_keeps_its_name() -> None:
    (rule,) = own(data(*of_rules([{"type": "vibes_good", "name": "Good vibes"}])))

    assert (rule.name, rule.type) == ("good-vibes", "unexecutable")


@pytest.mark.parametrize(
    ("asks", "judges", "why"),
    [
        ({}, (), "The rule asks a judge, and none was chosen for this run."),
        ({"judge": "gpt"}, ("",), "The rule asks the judge gpt, which this run does not have."),
        (
            {"panel": ["", "gpt", "opus"]},
            ("", "opus"),
            "The rule asks the judge gpt, which this run does not have.",
        ),
        (
            {"panel": ["gpt", "opus"]},
            ("",),
            "The rule asks the judges gpt, opus, which this run does not have.",
        ),
    ],
)
def test_a_judge_that_is_not_there_is_named(
    asks: dict[str, Any], judges: tuple[str, ...], why: str
) -> None:
    found = judged({"type": "reference_judge", "name": "it", **asks}, judges=judges)

    assert found.scores[0].reason == why


# -- names ------------------------------------------------------------------------------------


def test_a_rule_that_nobody_named_replaces_no_rule_of_the_contract() -> None:
    rules = in_force(SPEC, data(HELLO), data(HELLO))

    assert places(rules) == [
        ("contains_0", "contract"),
        ("contains_0_2", "dataset"),
        ("contains_0_3", "record"),
    ]
    assert judge(rules, SAYS_HELLO).outcome == "failed"


def test_the_name_that_the_data_states_replaces_the_contracts() -> None:
    rules = in_force(SPEC, NO_RULES, data({**HELLO, "name": "contains_0"}))

    assert places(rules) == [("contains_0", "record")]


def test_a_rule_that_nobody_named_makes_way_for_a_name_that_is_stated() -> None:
    rules = in_force(None, data(HELLO), data({**HELLO, "name": "contains_0"}))

    assert sorted(places(rules)) == [("contains_0", "record"), ("contains_0_2", "dataset")]


def test_a_second_of_one_name_replaces_nothing_by_its_number() -> None:
    spec = ContractSpec(rules=(ExactMatch(name="polite_2"),))

    rules = in_force(spec, NO_RULES, data(*[{**HELLO, "name": "polite"}] * 2))

    assert places(rules) == [
        ("polite_2", "contract"),
        ("polite", "record"),
        ("polite_2_2", "record"),
    ]


def test_a_name_that_cannot_be_one_replaces_nothing() -> None:
    spec = ContractSpec(rules=(ExactMatch(name="is-polite"),))

    rules = in_force(spec, NO_RULES, data({"type": "exact_match", "name": "Is polite"}))

    assert places(rules) == [("is-polite", "contract"), ("is-polite_2", "record")]


def test_a_case_of_agentv_replaces_no_rule_of_the_contract_by_its_place() -> None:
    grader = {"name": "contains", "type": "contains", "value": "hello"}
    payload = {
        "kind": "case",
        "record_id": "c",
        "row": {"id": "c", "input": "Hi?"},
        "resolved": {
            "messages": [{"role": "user", "content": "Hi?"}],
            "reference_answer": "",
            "expected": [],
            "criteria": "",
            "assertions": [grader],
            "suite": {},
        },
    }

    given = subjects.given(payload)

    assert places(in_force(SPEC, given.dataset, given.record)) == [
        ("contains_0", "contract"),
        ("contains_0_2", "record"),
    ]
    assert places(in_force(None, given.dataset, given.record)) == [("contains_0", "record")]


@given(
    *[
        st.lists(st.sampled_from([None, "a", "a_2", "contains_0", "contains_1_2"]), max_size=6)
        for _ in range(2)
    ]
)
def test_no_rule_is_lost_but_to_a_name_that_is_stated(
    dataset: list[str | None], record: list[str | None]
) -> None:
    said = [[{**HELLO, "name": name} for name in names] for names in (dataset, record)]

    rules = in_force(None, data(*said[0]), data(*said[1]))

    both = (set(dataset) & set(record)) - {None}
    assert len(rules.rules) == len(dataset) + len(record) - len(both)
    assert len({rule.name for rule in rules.rules}) == len(rules.rules)


# -- how many ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rest", "blocking"),
    [
        ({"blocking": False}, False),
        ({"blocking": False, "required": True}, True),
        ({}, True),
    ],
)
def test_of_too_many_rules_the_rest_is_one_that_is_never_executed(
    rest: dict[str, Any], blocking: bool
) -> None:
    entries = [HELLO] * MOST_RULES + [{**HELLO, **rest}] * 2_000

    rules = own(data(*entries))

    assert len(rules) == MOST_RULES + 1
    left = rules[-1]
    assert isinstance(left, Unexecutable)
    assert left.why.startswith("2,000 more rules are left out")
    assert left.blocking is blocking


def test_a_hundred_rules_each_get_a_name() -> None:
    entries = [{**HELLO, "name": "same"}] * 50 + [{"type": "regex", "value": "h.llo"}] * 50

    rules = own(data(*entries))

    assert len({rule.name for rule in rules}) == 100


def test_names_of_very_many_rules_are_given_without_exploding() -> None:
    taken = [{**HELLO, "name": f"contains_0_{number}"} for number in range(2, 40_000)]

    with bounded(30):
        found = normalised([HELLO, {**HELLO, "name": "contains_0"}, *taken, *[HELLO] * 40_000])

    assert len({entry["name"] for entry in found}) == len(found)


# -- the passing score ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "passing"),
    [
        *[(score, score) for score in (0, 0.5, 1)],
        *[(wrong, None) for wrong in (1.01, -0.1, 80, 10**400, float("nan"), True, "half", [1])],
    ],
    ids=lambda said: str(said)[:20],
)
def test_a_passing_score_that_is_none_is_not_stated(said: Any, passing: float | None) -> None:
    assert in_force(None, NO_RULES, data(HELLO, passing_score=said)).passing_score == passing
