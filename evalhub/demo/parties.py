"""Who answers and how answers are judged in the example: targets and grading contracts. Pure."""

from apps.grading.rules import CriteriaJudge, ExactMatch, MaxLatency, Numeric, TokenF1
from apps.grading.spec import AtLeast, AtMost, AtMostMs, ContractSpec, Thresholds
from apps.grading.starters import starter_spec
from apps.targets.specs import OpenAIChatSpec, PlannedError, ScriptedSpec, TargetSpec

ASSISTANT = "scripted-assistant"
SLOW_ASSISTANT = "scripted-slow-assistant"
WAVERING_ASSISTANT = "scripted-wavering-assistant"
EXAMPLES_ASSISTANT = "scripted-examples-assistant"
RELEASED = "assistant"
RELEASES = {"1.0": 0.22, "1.1": 0.16, "1.2": 0.05, "1.3": 0.15}
"""The releases of one assistant, each a version of the target, and the share of its answers that is
wrong."""
JUDGE = "scripted-judge"
SERVER = "example-openai-server"

EXACT = "exact-or-number"
REFERENCE = "reference-overlap"
JUDGED = "judged-criteria"
LEGAL = "legal-by-task-type"

CALLS_A_MINUTE = 12
"""Of the slow assistant: 240 records take it 20 minutes."""


def targets(mistakes: dict[str, str], answers: dict[str, str]) -> dict[str, TargetSpec]:
    """Each target by its name.

    `mistakes` says which prompt of the support desk gets which wrong answer, `answers` what the
    prompts of the other examples get.
    """
    return {
        ASSISTANT: _assistant(mistakes),
        SLOW_ASSISTANT: _slow_assistant(mistakes),
        WAVERING_ASSISTANT: ScriptedSpec(wrong_rate=0.35, latency_ms=200, seed=5),
        EXAMPLES_ASSISTANT: ScriptedSpec(canned=answers, wrong_rate=0, latency_ms=200),
        JUDGE: _judge(),
        SERVER: OpenAIChatSpec(
            base_url="http://127.0.0.1:8001/v1", model="the-model-of-your-server", temperature=0
        ),
    }


def releases(mistakes: dict[str, str]) -> dict[str, TargetSpec]:
    """Each version of the assistant by its release, the oldest first."""
    return {name: _release(mistakes, share) for name, share in RELEASES.items()}


def contracts() -> dict[str, ContractSpec]:
    """Each grading contract by its name."""
    return {
        EXACT: _exact(),
        REFERENCE: starter_spec("reference"),
        JUDGED: _judged(),
        LEGAL: starter_spec("legal"),
    }


def _assistant(mistakes: dict[str, str]) -> ScriptedSpec:
    return ScriptedSpec(
        canned=mistakes,
        wrong_rate=0.02,
        latency_ms=800,
        latency_spread=0.8,
        concurrency=32,
        price_input=0.4,
        price_output=1.6,
        planned_errors=(
            PlannedError(code="rate_limited", share=0.04, attempts=1),
            PlannedError(code="timeout", share=0.02, attempts=1),
            PlannedError(code="service_unavailable", share=0.02),
            PlannedError(code="refused", share=0.01),
        ),
        seed=7,
    )


def _slow_assistant(mistakes: dict[str, str]) -> ScriptedSpec:
    slow = {"requests_per_minute": CALLS_A_MINUTE, "concurrency": 1, "latency_ms": 1200}
    return _assistant(mistakes).model_copy(update={**slow, "seed": 11})


def _release(mistakes: dict[str, str], wrong: float) -> ScriptedSpec:
    quick = {"wrong_rate": wrong, "latency_ms": 20, "max_attempts": 1}
    refused = (PlannedError(code="refused", share=0.01),)
    return _assistant(mistakes).model_copy(update={**quick, "planned_errors": refused})


def _judge() -> ScriptedSpec:
    return ScriptedSpec(
        plays="judge",
        wrong_rate=0.02,
        broken_json=0.03,
        latency_ms=120,
        latency_spread=0.5,
        concurrency=32,
        price_input=0.4,
        price_output=1.6,
        seed=3,
    )


def _exact() -> ContractSpec:
    return ContractSpec(
        description="The answer is the reference, but for case and spacing. Where it is not, the "
        "number tells whether at least the sum was right.",
        rules=(
            ExactMatch(name="exact", ignore_case=True),
            Numeric(name="number", absolute=0.005, blocking=False, when_missing="skip"),
            _latency(),
        ),
        thresholds=Thresholds(pass_rate=AtLeast(at_least=0.8)),
    )


def _judged() -> ContractSpec:
    return ContractSpec(
        description="A judge scores what the record requires; shared words only warn.",
        rules=(
            CriteriaJudge(name="criteria", default_criteria=("overall",), weight=2),
            TokenF1(name="token_f1", blocking=False),
            _latency(),
        ),
        thresholds=Thresholds(
            pass_rate=AtLeast(at_least=0.8),
            failure_rate=AtMost(at_most=0.05),
            latency_p95_ms=AtMostMs(at_most=1_300),
        ),
    )


def _latency() -> MaxLatency:
    return MaxLatency(name="latency", blocking=False, weight=0)
