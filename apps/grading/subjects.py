"""What a grader sees: one answer, what was asked, what is known of it, and what the system did."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from apps.contract import Contract


class ToolCall(Contract):
    """One call of a tool; `arguments` as the system gave them, an object or its text."""

    name: str
    arguments: Any = None
    result: Any = None
    duration_ms: float | None = None


class Turn(Contract):
    """One message, with the tools that it called."""

    role: str
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()


class TraceEvent(Contract):
    """One event of telemetry, as the trace format has it."""

    event_type: str
    trace_id: str = ""
    payload: dict[str, Any] = {}

    @property
    def executed(self) -> tuple[ToolCall, ...]:
        """The tool that was executed, where the event tells of one."""
        name = self.payload.get("capability", self.payload.get("tool_name"))
        if self.event_type != "tool_execution":
            return ()
        return (ToolCall(name=name if isinstance(name, str) else ""),)


class SessionRun(Contract):
    """One run of an agent's session: what was asked, what came of it, what it is linked to."""

    user_input: str = ""
    output_text: str = ""
    status: str = ""
    failure_reason: str = ""
    trace_id: str = ""
    release_identity: str = ""
    approval_id: str = ""
    approval_status: str = ""
    capability_name: str = ""
    idempotency_key: str = ""
    side_effect_status: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    trace: tuple[TraceEvent, ...] = ()
    latency_ms: int | None = None


class Choice(Contract):
    id: str
    text: str = ""


class RubricItem(Contract):
    """One criterion of a rubric; a negative weight is something an answer should not do.

    `score_ranges` maps bands of 0 to 10, like "0-3", to what an answer of that band is like.
    """

    id: str
    title: str = ""
    description: str = ""
    weight: float = 1.0
    required: bool = False
    operator: str = ""
    min_score: float | None = None
    score_ranges: dict[str, str] = {}


class Chunk(Contract):
    """One retrieved text; `rank` from 1. The labels are None where nobody gave them."""

    id: str
    text: str = ""
    rank: int
    relevant: bool | None = None
    sufficient: bool | None = None
    misleading: bool | None = None


class VerifierOutput(Contract):
    """What a verifier says of a run beside a verdict: scores from 0 to 1, and what it rests on."""

    verifier_id: str = ""
    verifier_contract_version: str = ""
    process_score: float | None = None
    outcome_score: float | None = None
    failure_attribution: str = ""
    verifier_evidence_refs: tuple[str, ...] = ()


class Subject(Contract):
    """One answer with all that a rule may look at; times in ms, cost in the target's currency.

    `messages` is the conversation that was asked, `turns` what the system said and did in answer,
    `session` its runs where it is an agent; `tool_counts` is how often each tool was called where
    no more than that is known; `record` is the row behind it, as its format has it.
    """

    record_id: str = ""
    prompt: str = ""
    messages: tuple[Turn, ...] = ()
    response: str = ""
    turns: tuple[Turn, ...] = ()
    tool_counts: dict[str, int] | None = None
    reference_answers: tuple[str, ...] = ()
    expected_turns: tuple[Turn, ...] = ()
    criteria: str = ""
    choices: tuple[Choice, ...] = ()
    correct_choice_ids: tuple[str, ...] = ()
    rubric: tuple[RubricItem, ...] = ()
    context: str = ""
    chunks: tuple[Chunk, ...] = ()
    relevant_chunk_ids: tuple[str, ...] = ()
    policy: str = ""
    labels: tuple[str, ...] = ()
    session: tuple[SessionRun, ...] = ()
    trace: tuple[TraceEvent, ...] = ()
    verifier_outputs: tuple[VerifierOutput, ...] = ()
    record: dict[str, Any] = {}
    trial: int = 0
    latency_ms: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost: float | None = None

    @property
    def reference(self) -> str | None:
        """The reference answers, one a line; None without any."""
        return "\n".join(self.reference_answers) if self.reference_answers else None

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Every call of the answer in its order: of its turns, else of the runs of its session.

        Where neither tells of any, the executions in the trace, which name the tool alone.
        """
        said = tuple(call for turn in self.turns for call in turn.tool_calls)
        return (
            said
            or tuple(call for run in self.session for call in run.tool_calls)
            or tuple(call for event in self.events for call in event.executed)
        )

    @property
    def calls_by_tool(self) -> Mapping[str, int] | None:
        """How often each tool was called; None where nothing is known of what the system did."""
        if calls := self.tool_calls:
            return Counter(call.name for call in calls)
        if self.tool_counts is not None:
            return self.tool_counts
        return {} if self.turns or self.events else None

    @property
    def events(self) -> tuple[TraceEvent, ...]:
        """The events of the trace, and those of each run of the session."""
        return (*self.trace, *(event for run in self.session for event in run.trace))
