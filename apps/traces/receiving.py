"""What becomes of uploaded traces: rows with their events, in the transaction of the upload."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from django.urls import reverse

from apps.accounts.models import Workspace
from apps.accounts.services import record as audit
from apps.datasets.contracts import Rejected
from apps.datasets.formats.building import clean
from apps.datasets.formats.trace.opening import Facts, Step, open_trace
from apps.datasets.models import Upload
from apps.datasets.purposes import Received
from apps.datasets.uploading.reading import Kept, Reading

from .models import Trace, TraceEvent

BATCH = 500
TOLD = 5
LISTED = 100


def receive_traces(upload: Upload, reading: Reading) -> Received:
    """Write each trace that is new; raises Rejected (409) for one that stands with other content.

    A trace that stands as it is stays: the same file again changes nothing.
    """
    reading.refuse_if_unfit(valid_only=bool(upload.options.get("valid_only")))
    ids = [record.record_id for record in reading.records]
    standing = standing_of(upload.workspace, ids)
    _refuse_others(reading.records, standing)
    new = (record for record in reading.records if record.record_id not in standing)
    made = _write(upload, new)
    if made:
        audit(
            workspace=upload.workspace,
            actor=upload.created_by,
            verb="imported traces",
            obj=upload,
            request_id=upload.request_id,
            via=upload.via,  # type: ignore[arg-type]
        )
    return Received(_told(made, len(standing)), _address(upload, ids))


def standing_of(workspace: Workspace, trace_ids: Sequence[str]) -> dict[str, str]:
    """The hashes of those traces that are here, by their ids."""
    found: dict[str, str] = {}
    for start in range(0, len(trace_ids), BATCH):
        rows = workspace.traces.filter(trace_id__in=trace_ids[start : start + BATCH])
        found.update(rows.values_list("trace_id", "sha256"))
    return found


def _refuse_others(records: Iterable[Kept], standing: dict[str, str]) -> None:
    others = [each for each in records if standing.get(each.record_id, each.sha256) != each.sha256]
    if not others:
        return
    ids = [record.record_id for record in others]
    more = f" and {len(ids) - TOLD:,} more" if len(ids) > TOLD else ""
    raise Rejected(
        f"{', '.join(ids[:TOLD])}{more} {_plural(len(ids), 'is', 'are')} here already with other "
        "content: give the new run another trace_id, or leave it out.",
        code="conflict",
        status=409,
        details={
            "trace_ids": ids[:LISTED],
            "existing_sha256": standing[ids[0]],
            "uploaded_sha256": others[0].sha256,
        },
    )


def _write(upload: Upload, records: Iterable[Kept]) -> list[Trace]:
    """The events first, in pieces, whatever trace they are of: only then all is known of it."""
    traces: list[Trace] = []
    events = (event for record in records for event in _events(upload, record, traces))
    while some := list(islice(events, BATCH)):
        TraceEvent.objects.bulk_create(some)
    return Trace.objects.bulk_create(traces, batch_size=BATCH)


def _events(upload: Upload, record: Kept, traces: list[Trace]) -> Iterator[TraceEvent]:
    """The events of a record; afterwards its trace stands among the others."""
    facts, steps = open_trace(record.payload)
    trace = Trace(
        workspace=upload.workspace,
        trace_id=record.record_id,
        source=facts.source,
        event_count=0,
        sha256=record.sha256,
        about=facts.about,
        upload=upload,
    )
    for seq, step in enumerate(steps):
        trace.event_count += 1
        yield _event(trace, seq, step)
    _learn(trace, facts)
    traces.append(trace)


def _event(trace: Trace, seq: int, step: Step) -> TraceEvent:
    return TraceEvent(
        trace=trace,
        seq=seq,
        type=clean(step.kind)[:120],
        payload=step.payload,
        redacted=json.dumps(step.redacted) if step.redacted else "",
        more=step.more,
    )


def _learn(trace: Trace, facts: Facts) -> None:
    trace.session_id = clean(facts.session_id)[:200]
    trace.scenario_id = clean(facts.scenario_id)[:200]
    trace.status = clean(facts.status)[:80]
    trace.schema_version = clean(facts.schema_version)[:20]


def _told(made: list[Trace], known: int) -> str:
    events = sum(trace.event_count for trace in made)
    said = f"{len(made):,} {_plural(len(made), 'trace')} with {events:,} {_plural(events, 'event')}"
    return (
        f"{said}; {known:,} {_plural(known, 'was', 'were')} here already." if known else f"{said}."
    )


def _plural(count: int, one: str, many: str = "") -> str:
    return one if count == 1 else many or f"{one}s"


def _address(upload: Upload, ids: Sequence[str]) -> str:
    """The trace itself where there is one, else the list."""
    slug = upload.workspace.slug
    if len(ids) != 1:
        return reverse("traces:list", args=[slug])
    trace = Trace.objects.get(workspace=upload.workspace, trace_id=ids[0])
    return reverse("traces:detail", args=[slug, trace.pk])
