"""Traces and the records of datasets, linked both ways and within one workspace."""

import pytest

from apps.accounts.models import User, Workspace
from apps.datasets.contracts import Options
from apps.datasets.models import Record
from apps.traces import queries
from apps.traces.naming import traces_of
from apps.traces.queries import TraceFilter
from tests.datasets.documents import accepted
from tests.datasets.scenario_files import as_export, event, export, log, run, scenario, session
from tests.traces.building import CHAT, a_trace, imported, scenarios

pytestmark = pytest.mark.django_db


def found(workspace: Workspace, **wanted: str) -> list[str]:
    traces = queries.traces(workspace, TraceFilter(**wanted))
    return sorted(traces.values_list("trace_id", flat=True))


def named(trace: object) -> list[tuple[str, str]]:
    return [(each.record.record_id, each.why) for each in queries.records_of(trace)]  # type: ignore[arg-type]


def test_traces_are_found_by_id_scenario_and_session(workspace: Workspace) -> None:
    imported(workspace, CHAT, event(trace_id="run-9"))

    assert found(workspace, q="chat") == ["chat-1"]
    assert found(workspace, q="REFUND") == ["chat-1"]
    assert found(workspace, session="s-1") == ["run-9"]
    assert found(workspace, scenario="refund-1") == ["chat-1"]
    assert found(workspace, q="%") == []
    assert found(workspace) == ["chat-1", "run-9"]


def test_a_trace_knows_the_scenario_that_it_is_of(workspace: Workspace) -> None:
    scenarios(workspace, scenario(1), scenario(2))

    assert named(a_trace(workspace)) == [("refund-1", "its scenario")]


def test_a_trace_knows_the_records_that_name_it(workspace: Workspace) -> None:
    outputs = {"verifier_evidence_refs": ["trace:chat-1", "screenshot:1"]}
    scenarios(
        workspace,
        scenario(5, source_trace_ids=["chat-1"]),
        scenario(6, verifier_outputs=outputs),
        scenario(7, notes_for_review="Like chat-1, but not of it."),
    )

    assert named(a_trace(workspace)) == [
        ("refund-5", "names it as a trace"),
        ("refund-6", "names it as a trace"),
    ]


def test_a_trace_knows_the_session_of_an_export(workspace: Workspace) -> None:
    raw = as_export(export(session(run(1)), session(run(2), name="session-2")))
    accepted(workspace, raw, options=Options(format="scenarios"))

    own = a_trace(workspace, event(trace_id="run-2", payload={"session_id": "session-2"}))
    other = a_trace(workspace, event(trace_id="run-1", payload={}))

    assert named(own) == [("session-2", "its session")]
    assert named(other) == [("session-1", "names it as a trace")]


def test_only_the_newest_version_of_a_dataset_is_looked_at(workspace: Workspace) -> None:
    for version in ("1", "2"):
        scenarios(workspace, scenario(1, dataset_version=version))

    records = queries.records_of(a_trace(workspace))

    assert [each.record.version.label for each in records] == ["2"]


def test_records_of_another_workspace_are_not_looked_at(
    workspace: Workspace, charlie: User
) -> None:
    scenarios(Workspace.objects.get(slug="elsewhere"), scenario(1, source_trace_ids=["chat-1"]))

    assert named(a_trace(workspace)) == []


def test_the_traces_that_a_record_names_are_found_in_its_workspace(
    workspace: Workspace, charlie: User
) -> None:
    elsewhere = Workspace.objects.get(slug="elsewhere")
    imported(elsewhere, log("chat-2"))
    imported(workspace, CHAT, event(trace_id="run-9"), event(trace_id="run-8"))
    scenarios(workspace, scenario(1, source_trace_ids=["run-9", "chat-2", "gone"]))
    record = Record.objects.get(version__dataset__workspace=workspace)

    assert found(workspace, record=str(record.pk)) == ["chat-1", "run-9"]
    assert found(elsewhere, record=str(record.pk)) == []


@pytest.mark.parametrize("key", ["0", "x", "-1", "9" * 40, "²"])
def test_a_record_that_is_not_there_has_no_traces(workspace: Workspace, key: str) -> None:
    imported(workspace, CHAT)

    assert found(workspace, record=key) == []


def test_a_session_names_the_traces_of_its_runs_and_of_its_list() -> None:
    row = session(run(1), run(2))
    row["session"]["traces"] = ["run-2", "run-3"]

    assert traces_of({"kind": "session", "row": row}) == ["run-1", "run-2", "run-3"]


def test_the_other_runs_of_a_session_stand_beside_a_trace(workspace: Workspace) -> None:
    one = a_trace(workspace, event(trace_id="a"))
    imported(workspace, event(trace_id="b"), event(trace_id="c", payload={"session_id": "z"}))

    assert [trace.trace_id for trace in queries.beside(one)] == ["b"]
