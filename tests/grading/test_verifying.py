"""EvalHub's own verifier output: process and outcome apart, with what they rest on."""

from apps.grading.contracts import Judgment, Score, Subject
from apps.grading.rules import Contains
from apps.grading.rules.agents.behaviour import MaxToolCalls
from apps.grading.rules.agents.outcomes import StatusEquals
from apps.grading.spec import RuleSet, judge
from apps.grading.subjects import SessionRun, VerifierOutput
from apps.grading.verifying import MOST_REFS, verifier_output

AGENT = Subject(session=(SessionRun(status="failed", trace_id="trace_123"),))


def judged(subject: Subject) -> Judgment:
    rules = (StatusEquals(name="status", expected=("success",)), Contains(name="c", values=("x",)))
    return judge(RuleSet(rules=rules), subject)


def test_the_scores_are_those_of_the_judgment_and_the_contract_is_named() -> None:
    output = verifier_output(judged(AGENT), AGENT, contract="quality@3")

    assert (output.verifier_id, output.verifier_contract_version) == ("evalhub", "quality@3")
    assert (output.process_score, output.outcome_score) == (None, 0.0)
    assert output.verifier_evidence_refs == ("trace:trace_123",)
    assert output.failure_attribution == ""


def test_process_and_outcome_do_not_hide_each_other() -> None:
    subject = Subject(session=(SessionRun(status="failed", trace_id="t", tool_calls=()),), turns=())
    rules = (
        StatusEquals(name="status", expected=("success",)),
        MaxToolCalls(name="calls", expected=4),
    )
    busy = subject.model_copy(update={"tool_counts": {"search": 2}})

    output = verifier_output(judge(RuleSet(rules=rules), busy), busy, contract="")

    assert (output.process_score, output.outcome_score) == (1.0, 0.0)


def test_what_came_with_the_data_stands_beside_it_and_a_person_has_the_last_word() -> None:
    given = VerifierOutput(
        failure_attribution="external_system",
        verifier_evidence_refs=("screenshot:step_7", "trace:trace_123"),
    )
    subject = AGENT.model_copy(update={"verifier_outputs": (given, VerifierOutput())})

    theirs = verifier_output(judged(subject), subject, contract="")
    ours = verifier_output(judged(subject), subject, contract="", attribution="tool_adapter")

    assert theirs.failure_attribution == "external_system"
    assert theirs.verifier_evidence_refs == ("trace:trace_123", "screenshot:step_7")
    assert ours.failure_attribution == "tool_adapter"


def test_references_are_bounded() -> None:
    refs = tuple(f"trace:{number}" for number in range(3 * MOST_REFS))
    scores = (Score(rule="it", value=1.0, verdict="pass", evidence=refs),)
    judgment = Judgment(scores=scores, outcome="passed", score=1.0)

    output = verifier_output(judgment, Subject(), contract="")

    assert len(output.verifier_evidence_refs) == MOST_REFS
