"""The judge by reference: whose pass counts, tenths, context, and what cannot be read."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.grading.contracts import Answer, Score, Subject
from apps.grading.rules.judges.reference_judge import ReferenceJudge, in_tenths

RULE = ReferenceJudge(name="reference")
SUBJECT = Subject(
    prompt="Why?",
    response="Because.",
    reference_answers=("It rained.", " ", "Rain."),
    context="Weather report: rain.",
)
LEXAM = SUBJECT.model_copy(update={"policy": "lexam_oq_v1"})


def settled(reply: Any, *, rule: ReferenceJudge = RULE, subject: Subject = SUBJECT) -> Score:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    return rule.settle(subject, [Answer(call="1", text=text)])


def test_the_judge_sees_every_reference_and_the_context() -> None:
    (question,) = RULE.ask(SUBJECT)

    assert '"references": ["It rained.", "Rain."]' in question.user
    assert '"context": "Weather report: rain."' in question.user
    assert list(question.reply) == ["rationale", "criteria", "score", "pass"]


@pytest.mark.parametrize("references", [(), ("",), (" \n",)])
def test_without_a_reference_there_is_nothing_to_compare_with(references: tuple[str, ...]) -> None:
    subject = Subject(prompt="Why?", response="So.", reference_answers=references)

    score = RULE.settle(subject, ())

    assert RULE.ask(subject) == ()
    assert (score.verdict, score.reason) == ("skip", "The record has no reference answer.")


@pytest.mark.parametrize(
    ("reply", "by_judge", "by_threshold"),
    [
        ({"score": 0.9}, "pass", "pass"),
        ({"score": 0.69}, "fail", "fail"),
        ({"score": 0.9, "pass": False}, "fail", "pass"),
        ({"score": 0.5, "pass": True}, "pass", "fail"),
    ],
)
def test_the_judges_own_pass_counts_unless_the_contract_leaves_it_to_the_threshold(
    reply: dict[str, Any], by_judge: str, by_threshold: str
) -> None:
    strict = ReferenceJudge(name="reference", passes_by="threshold")

    scores = [settled(reply), settled(reply, rule=strict)]

    assert [score.verdict for score in scores] == [by_judge, by_threshold]
    assert {score.value for score in scores} == {reply["score"]}


def test_reasons_and_criteria_are_kept() -> None:
    score = settled({"score": 0.4, "rationale": "No rain.", "criteria": {"correctness": 0.4}})

    assert score.reason == "No rain."
    assert score.checks[0].model_dump() == {
        "text": "The answer agrees with the references",
        "passed": False,
        "evidence": "No rain.",
    }
    assert score.raw is not None
    assert score.raw["criteria"] == {"correctness": 0.4}
    assert score.raw["opinions"][0]["rationale"] == "No rain."


@pytest.mark.parametrize(
    ("said", "value"),
    [(0.65, 0.7), (0.64, 0.6), (0.05, 0.1), (0.95, 1.0), (0.45, 0.5), (0.6499999, 0.6), (1, 1.0)],
)
def test_lexam_rounds_half_up_to_tenths(said: float, value: float) -> None:
    assert in_tenths(float(said)) == value
    assert settled({"score": said}, subject=LEXAM).value == value


@pytest.mark.parametrize(("said", "verdict"), [(0.65, "pass"), (0.64, "fail")])
@pytest.mark.parametrize("own", [True, False])
def test_lexam_passes_by_the_threshold_whatever_the_judge_says(
    said: float, verdict: str, own: bool
) -> None:
    assert settled({"score": said, "pass": own}, subject=LEXAM).verdict == verdict


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        ("nope", "The judge's reply is not one JSON object."),
        ({"verdict": "good"}, "The judge's reply has no score that can be read."),
        ({"score": 8}, "The judge's reply has a score that is not within 0 and 1."),
    ],
)
def test_what_cannot_be_read_is_complained_about_and_gives_no_value(
    reply: Any, complaint: str
) -> None:
    text = reply if isinstance(reply, str) else json.dumps(reply)

    score = settled(reply)

    assert RULE.complaint(RULE.ask(SUBJECT)[0], text) == complaint
    assert (score.value, score.verdict) == (None, "error")
    assert score.reason == f"agreement with the references: {complaint}"


def test_turned_round_the_pass_is_turned_too() -> None:
    rule = ReferenceJudge(name="reference", negate=True)

    score = settled({"score": 0.9, "pass": True}, rule=rule)

    assert score.value == pytest.approx(0.1)
    assert score.verdict == "fail"


scalars = st.none() | st.booleans() | st.floats() | st.text(max_size=5)
replies = st.text() | st.dictionaries(
    st.sampled_from(["score", "result", "pass", "rationale", "criteria"]),
    scalars | st.dictionaries(st.text(max_size=3), scalars, max_size=3),
).map(json.dumps)


@given(replies, st.booleans(), st.sampled_from(["", "lexam_oq_v1"]), st.floats(0, 1))
def test_any_reply_gives_a_value_or_a_reason(
    reply: str, negate: bool, policy: str, threshold: float
) -> None:
    rule = ReferenceJudge(name="reference", negate=negate, threshold=threshold)

    score = settled(reply, rule=rule, subject=SUBJECT.model_copy(update={"policy": policy}))

    assert (score.value is None) == (score.verdict == "error")
    assert score.value is None or 0 <= score.value <= 1
    assert bool(rule.complaint(rule.ask(SUBJECT)[0], reply)) == (score.value is None)
