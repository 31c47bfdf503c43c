"""What a verifier says of one answer beside the verdict, in the words of the agent scenarios. Pure.

`process_score` is how the system went about it, `outcome_score` what came of it; what the failure
is put down to and what all this rests on stand beside them, so that none hides the others.
"""

from collections.abc import Iterable, Sequence

from .contracts import Judgment
from .subjects import Subject, VerifierOutput

VERIFIER = "evalhub"
MOST_REFS = 100


def verifier_output(
    judgment: Judgment,
    subject: Subject,
    *,
    contract: str,
    attribution: str = "",
    verifier_id: str = VERIFIER,
) -> VerifierOutput:
    """Of a judgment that was just made; `contract` is its name@number, empty without one."""
    return output_of(
        process_score=judgment.process_score,
        outcome_score=judgment.outcome_score,
        evidence=(ref for score in judgment.scores for ref in score.evidence),
        came_with=subject.verifier_outputs,
        contract=contract,
        attribution=attribution,
        verifier_id=verifier_id,
    )


def output_of(
    *,
    process_score: float | None,
    outcome_score: float | None,
    evidence: Iterable[str],
    came_with: Sequence[VerifierOutput] = (),
    contract: str = "",
    attribution: str = "",
    verifier_id: str = VERIFIER,
) -> VerifierOutput:
    """The scores, with the evidence of all rules and of the verifiers whose outputs came along.

    The attribution is a person's where there is one, else that of the latest verifier that came
    along; references are each kept once, 100 at most.
    """
    given = [each.failure_attribution for each in came_with if each.failure_attribution]
    theirs = (ref for each in came_with for ref in each.verifier_evidence_refs)
    refs = dict.fromkeys((*evidence, *theirs))
    return VerifierOutput(
        verifier_id=verifier_id,
        verifier_contract_version=contract,
        process_score=process_score,
        outcome_score=outcome_score,
        failure_attribution=attribution or (given[-1] if given else ""),
        verifier_evidence_refs=tuple(refs)[:MOST_REFS],
    )
