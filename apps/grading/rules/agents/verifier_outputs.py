"""Rules on what a verifier said of an agent's run: its scores, and what it blames."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from apps.grading.attribution import ATTRIBUTIONS
from apps.grading.contracts import Aspect, Check, Score, Subject
from apps.grading.rules.agents.expecting import Expecting, TruthOrTexts
from apps.grading.rules.base import Example, Rule
from apps.grading.rules.words import shown
from apps.grading.subjects import VerifierOutput

MOST_NAMED = 20


class _ScorePresent(Expecting):
    """A verifier gave a number from 0 to 1 of its kind."""

    aspect: ClassVar[Aspect] = "process"
    field: ClassVar[Literal["process_score", "outcome_score"]]

    def grade(self, subject: Subject) -> Score:
        given = [getattr(output, self.field) for output in subject.verifier_outputs]
        found = [score for score in given if score is not None and 0 <= score <= 1]
        wrong = [score for score in given if score is not None and not 0 <= score <= 1]
        check = Check(
            text=f"{'A' if found else 'No'} verifier output has {self.field} from 0 to 1.",
            passed=bool(found) == self.expected,
            evidence=_numbers(found or wrong) or _outputs(len(given)),
        )
        return self.scored(
            float(check.passed), checks=[check], evidence=_refs(subject.verifier_outputs)
        )


class ProcessScorePresent(_ScorePresent):
    """A verifier said how well the agent went about it: process_score, a number from 0 to 1.

    Looks at the verifier outputs that came with the record. That there is none is the finding
    itself: 0, and not a missing score.
    """

    title = "Process score present"
    field: ClassVar[Literal["process_score", "outcome_score"]] = "process_score"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            says="The verifier gave one.",
            subject=Subject(verifier_outputs=(VerifierOutput(process_score=0.92),)),
            value=1.0,
        ),
        Example(says="No verifier said anything.", subject=Subject(), value=0.0),
    )

    type: Literal["process_score_present"] = "process_score_present"


class OutcomeScorePresent(_ScorePresent):
    """A verifier said how good the result is: outcome_score, a number from 0 to 1.

    Looks at the verifier outputs that came with the record. That there is none is the finding
    itself: 0, and not a missing score.
    """

    title = "Outcome score present"
    field: ClassVar[Literal["process_score", "outcome_score"]] = "outcome_score"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            says="The verifier gave one.",
            subject=Subject(verifier_outputs=(VerifierOutput(outcome_score=0.35),)),
            value=1.0,
        ),
    )

    type: Literal["outcome_score_present"] = "outcome_score_present"


class FailureAttributionValid(Rule):
    """What a failure was put down to is one of the allowed words: the share that is.

    Looks at failure_attribution in the record's verifier outputs and in the record itself. With
    `expected: true` the allowed words are those of `allowed`, or prompt_routing, policy_gate,
    tool_adapter, verifier_gap, external_system and uncontrollable_environment; a text or a list
    are the allowed words themselves. Where nothing was attributed there is no score.
    """

    title = "Failure attribution valid"
    aspect: ClassVar[Aspect] = "process"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            says="A word of the list.",
            subject=Subject(
                verifier_outputs=(VerifierOutput(failure_attribution="uncontrollable_environment"),)
            ),
            value=1.0,
        ),
        Example(says="Nothing was attributed: no score.", subject=Subject(), value=None),
    )

    type: Literal["failure_attribution_valid"] = "failure_attribution_valid"
    expected: TruthOrTexts = Field(
        default=True,
        title="Expected",
        description="true: one of the allowed words. A text or a list: these words alone. "
        "false: none of the allowed words.",
    )
    allowed: tuple[str, ...] = Field(
        default=(),
        max_length=100,
        title="Allowed words",
        description="Instead of the six usual ones.",
    )

    def grade(self, subject: Subject) -> Score:
        found = list(dict.fromkeys(_attributions(subject)))
        if not found:
            return self.cannot_say("Neither a verifier output nor the record attributes a failure.")
        listed = self.expected if isinstance(self.expected, tuple) else self.allowed or ATTRIBUTIONS
        wanted = self.expected is not False
        checks = [_allowed(word, word in listed, wanted) for word in found]
        held = sum(check.passed for check in checks) / len(checks)
        return self.scored(
            held, checks=checks[:MOST_NAMED], evidence=_refs(subject.verifier_outputs)
        )


def _allowed(word: str, listed: bool, wanted: bool) -> Check:
    return Check(
        text=f"{shown(word)} is {'an' if listed else 'no'} allowed attribution.",
        passed=listed == wanted,
    )


def _attributions(subject: Subject) -> Iterator[str]:
    own = subject.record.get("failure_attribution")
    for word in (*(each.failure_attribution for each in subject.verifier_outputs), own):
        if isinstance(word, str) and word.strip():
            yield word.strip()


def _refs(outputs: Sequence[VerifierOutput]) -> tuple[str, ...]:
    refs = (ref for output in outputs for ref in output.verifier_evidence_refs)
    return tuple(dict.fromkeys(refs))[:MOST_NAMED]


def _numbers(scores: Sequence[float]) -> str:
    return ", ".join(f"{score:.4g}" for score in scores[:MOST_NAMED])


def _outputs(count: int) -> str:
    return f"{count:,} verifier outputs have none." if count else "There is no verifier output."


RULES: tuple[type[Rule], ...] = (
    ProcessScorePresent,
    OutcomeScorePresent,
    FailureAttributionValid,
)
