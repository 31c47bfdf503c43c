"""What is known of an agent's runs: what their records say, completed by their traces."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from apps.grading.contracts import Subject
from apps.grading.subjects import SessionRun, TraceEvent

MOST_EVIDENCE = 20
FAILED = "failed"
EXECUTED = "tool_execution"

Events = Sequence[TraceEvent]


@dataclass(frozen=True, slots=True)
class Told:
    """Runs in their order, each with its events; `loose` are events of none of them."""

    runs: tuple[SessionRun, ...]
    loose: tuple[TraceEvent, ...] = ()

    @property
    def events(self) -> Iterator[TraceEvent]:
        yield from self.loose
        for run in self.runs:
            yield from run.trace

    @property
    def has_events(self) -> bool:
        return any(True for _ in self.events)

    @property
    def tells(self) -> bool:
        """Whether anything is known of how the runs went."""
        return self.has_events or any(run.status for run in self.runs)

    @property
    def untraced(self) -> int:
        """How many runs have no events, where none of the loose ones could be theirs."""
        return 0 if self.loose else sum(not run.trace for run in self.runs)


def told(subject: Subject) -> Told:
    """The runs of the session; where there is none, one run for each trace."""
    by_trace = _by_trace(subject.trace)
    if not subject.session:
        runs = (SessionRun(trace_id=trace_id) for trace_id in by_trace)
        return Told(tuple(_completed(run, by_trace[run.trace_id]) for run in runs))
    if len(subject.session) == 1:
        only = subject.session[0]
        return Told((_completed(only, (*only.trace, *subject.trace)),))
    runs = (
        _completed(run, run.trace or (by_trace.pop(run.trace_id, ()) if run.trace_id else ()))
        for run in subject.session
    )
    complete = tuple(runs)
    return Told(complete, tuple(event for events in by_trace.values() for event in events))


def evidence_of(runs: Iterable[SessionRun]) -> tuple[str, ...]:
    """References to the traces of the runs, each once."""
    refs = (f"trace:{run.trace_id}" for run in runs if run.trace_id)
    return tuple(dict.fromkeys(refs))[:MOST_EVIDENCE]


def evidence_of_events(events: Iterable[TraceEvent]) -> tuple[str, ...]:
    refs = (f"trace:{event.trace_id}" for event in events if event.trace_id)
    return tuple(dict.fromkeys(refs))[:MOST_EVIDENCE]


def text_in(event: TraceEvent, *names: str) -> str:
    """The first of these fields of the event that holds a text; empty where none does."""
    texts = (event.payload.get(name) for name in names)
    return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), "")


def _by_trace(events: Events) -> dict[str, list[TraceEvent]]:
    found: dict[str, list[TraceEvent]] = {}
    for event in events:
        found.setdefault(event.trace_id, []).append(event)
    return found


def _completed(run: SessionRun, events: Events) -> SessionRun:
    """With what only its events tell; what the record says itself stays."""
    learnt: dict[str, Any] = {"trace_id": next((e.trace_id for e in events if e.trace_id), "")}
    for event in events:
        learnt |= {name: text for name, text in _learnt(event, learnt).items() if text}
    gaps = {name: text for name, text in learnt.items() if text and not getattr(run, name)}
    return run.model_copy(update={**gaps, "trace": tuple(events)})


def _learnt(event: TraceEvent, before: dict[str, Any]) -> dict[str, str]:
    release = {"release_identity": text_in(event, "release_identity")}
    if event.event_type == "run_failed":
        reason = text_in(event, "failure_reason", "reason", "tool_status")
        return {**release, "status": FAILED, "failure_reason": reason}
    if event.event_type == "run_complete":
        return {
            **release,
            "status": text_in(event, "status") or before.get("status") or "success",
            "output_text": text_in(event, "output_text", "output_preview"),
            "failure_reason": text_in(event, "failure_reason"),
            "side_effect_status": text_in(event, "side_effect_status"),
        }
    if event.event_type == "approval_requested":
        return {**release, "approval_id": text_in(event, "approval_id")}
    return release
