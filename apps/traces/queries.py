"""Reading traces: the list, one with its steps, and what they are traces of."""

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, NamedTuple

import orjson
from django.db.models import Q, QuerySet
from pydantic import AfterValidator

from apps.accounts.models import Workspace
from apps.contract import Contract
from apps.datasets.models import DatasetVersion, Record
from apps.datasets.sight import Sight

from . import conversation
from .models import EvidenceManifest, Trace, TraceEvent
from .naming import traces_of

LONGEST_SEARCH = 200
LONGEST_KEY = 18
VERSIONS_SEARCHED = 20
MOST_RECORDS = 10
MOST_NAMED = 200
MOST_LOOKED_AT = 50
SCENARIOS = "scenarios"

Search = Annotated[str, AfterValidator(lambda text: text.replace("\0", "")[:LONGEST_SEARCH])]


class TraceFilter(Contract):
    q: Search = ""
    scenario: Search = ""
    session: Search = ""
    record: Search = ""
    """The key of a record: the traces that it names, and those of its scenario or session."""


class Named(NamedTuple):
    """A record of a dataset that a trace is about, or that names it, and why."""

    record: Record
    why: str


class ShownEvidence(NamedTuple):
    """A manifest that was checked; its signals are names and texts."""

    manifest: EvidenceManifest
    subject: str
    issuer: str
    signals: list[tuple[str, str]]


def traces(workspace: Workspace, wanted: TraceFilter) -> QuerySet[Trace]:
    """Those whose trace id, scenario or session contains the text."""
    found = workspace.traces.defer("about").select_related("upload__created_by")
    if wanted.q:
        text = wanted.q
        found = found.filter(
            Q(trace_id__icontains=text)
            | Q(scenario_id__icontains=text)
            | Q(session_id__icontains=text)
        )
    if wanted.scenario:
        found = found.filter(scenario_id=wanted.scenario)
    if wanted.session:
        found = found.filter(session_id=wanted.session)
    return found.filter(_of_record(workspace, wanted.record)) if wanted.record else found


def record_of(workspace: Workspace, key: str) -> Record | None:
    """The record of this workspace with that key, if there is one."""
    if not key.isdecimal() or len(key) > LONGEST_KEY:
        return None
    mine = Record.objects.filter(version__dataset__workspace=workspace)
    return mine.select_related("version__dataset").filter(pk=key).first()


def _of_record(workspace: Workspace, key: str) -> Q:
    record = record_of(workspace, key)
    if record is None:
        return Q(pk__in=[])
    named = traces_of(orjson.loads(record.payload))[:MOST_NAMED]
    about = Q(scenario_id=record.record_id) | Q(session_id=record.record_id)
    return about | Q(trace_id__in=named)


def beside(trace: Trace) -> list[Trace]:
    """The other runs of the same session, or of the same scenario."""
    others = Trace.objects.filter(workspace=trace.workspace_id).exclude(pk=trace.pk).defer("about")
    if trace.session_id:
        others = others.filter(session_id=trace.session_id)
    elif trace.scenario_id:
        others = others.filter(scenario_id=trace.scenario_id)
    else:
        return []
    return list(others.order_by("trace_id")[:MOST_RECORDS])


def shown(trace: Trace, events: Iterable[TraceEvent], sight: Sight) -> list[conversation.Shown]:
    """Steps as people read them, and as this workspace lets them be seen."""
    if trace.source == Trace.Source.MESSAGES:
        return [
            conversation.message(each.seq, each.type, each.payload, sight.value) for each in events
        ]
    return [
        conversation.event(each.seq, each.type, each.payload, each.redacted, each.more, sight.value)
        for each in events
    ]


def records_of(trace: Trace) -> list[Named]:
    """The records that the trace is about or that name it, in the newest version of each dataset
    of scenarios; ten at most."""
    versions = _versions(trace)
    named = {**dict.fromkeys(_about(trace, versions)), **dict.fromkeys(_naming(trace, versions))}
    return [Named(*each) for each in _once(named)][:MOST_RECORDS]


def evidence(workspace: Workspace, sight: Sight, most: int = 5) -> list[ShownEvidence]:
    """The manifests checked last, as this workspace lets them be seen."""
    return [
        ShownEvidence(
            manifest,
            sight.text(manifest.subject),
            sight.text(manifest.issuer),
            [
                (name, value if isinstance(value, str) else json.dumps(value))
                for name, value in sight.value(manifest.signals).items()
            ],
        )
        for manifest in workspace.evidence.order_by("-pk")[:most]
    ]


def _versions(trace: Trace) -> list[str]:
    """The newest versions of scenarios of the workspace, one a dataset."""
    rows = DatasetVersion.objects.filter(
        dataset__workspace=trace.workspace_id, dataset__archived_at=None, format=SCENARIOS
    )
    newest: dict[str, str] = {}
    for dataset, version in rows.order_by("-pk").values_list("dataset_id", "pk"):
        newest.setdefault(dataset, version)
    return list(newest.values())[:VERSIONS_SEARCHED]


def _about(trace: Trace, versions: list[str]) -> Iterator[tuple[Record, str]]:
    """Found by the index of record ids."""
    ids = {trace.scenario_id: "its scenario", trace.session_id: "its session"}
    ids.pop("", None)
    rows = _records(versions).filter(record_id__in=list(ids))
    for record in rows.order_by("-version", "ordinal")[:MOST_RECORDS]:
        yield record, ids[record.record_id]


def _naming(trace: Trace, versions: list[str]) -> Iterator[tuple[Record, str]]:
    """Found by text in the payloads, then looked at: a bounded search of few versions."""
    spelled = orjson.dumps(trace.trace_id).decode().strip('"')
    rows = _records(versions, with_payload=True).filter(payload__contains=spelled)
    for record in rows.order_by("-version", "ordinal")[:MOST_LOOKED_AT]:
        if trace.trace_id in traces_of(orjson.loads(record.payload)):
            yield record, "names it as a trace"


def _records(versions: list[str], with_payload: bool = False) -> QuerySet[Record]:
    rows = Record.objects.filter(version__in=versions).select_related("version__dataset")
    return rows if with_payload else rows.defer("payload")


def _once(named: Iterable[tuple[Record, str]]) -> Iterator[tuple[Record, str]]:
    seen: set[int] = set()
    for record, why in named:
        if record.pk not in seen:
            seen.add(record.pk)
            yield record, why
