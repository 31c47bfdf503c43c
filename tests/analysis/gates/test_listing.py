"""Lists of decisions: from columns and a few words of the report, however large it is."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User, Workspace
from apps.analysis.gates.overriding import override
from apps.analysis.gates.telling import listed
from apps.analysis.models import GateDecision
from apps.runs.models import Run

from .asking import text_of
from .building import AT, a_decision, a_policy, a_run, approved

GATES = "/api/v1/gates"


@pytest.fixture
def decision(workspace: Workspace, before: Run) -> GateDecision:
    policy = a_policy(workspace, slices=[{}])
    approved(policy, before)
    run = a_run(workspace, 120, 80, version=before.dataset_version, name="candidate")
    return a_decision(run, policy, change_id="v2")


def _copies(decision: GateDecision, count: int, **body: Any) -> list[GateDecision]:
    """The same answer so many times, with another report."""
    same = {
        field.attname: getattr(decision, field.attname)
        for field in GateDecision._meta.concrete_fields
        if field.name not in ("id", "body")
    }
    found = {**decision.body, **body}
    return [GateDecision.objects.create(**same, body=found) for _ in range(count)]


def _rows(client: Client) -> list[dict[str, Any]]:
    answer = client.get(GATES)
    assert answer.status_code == 200
    rows: list[dict[str, Any]] = answer.json()["results"]
    return rows


def _queries(client: Client) -> tuple[int, int]:
    """Of the API's list and of the page's."""
    counts = []
    for look in (_rows, text_of):
        with CaptureQueriesContext(connection) as queries:
            look(client)
        counts.append(len(queries))
    return counts[0], counts[1]


def test_a_line_says_what_the_whole_decision_says(
    lead: Client, decision: GateDecision, alice: User
) -> None:
    override(decision, answer="pass", reason="Known.", by=alice, now=AT)

    [row] = _rows(lead)

    whole = lead.get(f"{GATES}/{decision.pk}").json()
    both = row.keys() & whole.keys()
    assert {name: row[name] for name in both} == {name: whole[name] for name in both}
    assert row.keys() - both == {"run_id", "baseline_id"}
    assert (row["run_id"], row["baseline_id"]) == (decision.run_id, decision.baseline_id)


def test_a_report_that_cannot_be_read_is_listed_all_the_same(
    lead: Client, decision: GateDecision
) -> None:
    _copies(decision, 1, checks="x" * 2_000_000)

    page = text_of(lead)

    assert len(_rows(lead)) == 2
    assert page.partition("Filter decisions")[2].count("v2") == 2


def test_lists_leave_reports_where_they_are(
    lead: Client, alice: User, workspace: Workspace, decision: GateDecision
) -> None:
    [found] = listed.decisions(alice, workspace)

    listed.row_facts(found)
    row = listed.DecisionRow(found)

    assert (row.answer, row.change, row.is_for_once) == ("fail", "v2", False)
    assert "body" in found.get_deferred_fields()


def test_many_decisions_take_as_many_queries_as_few(lead: Client, decision: GateDecision) -> None:
    text_of(lead)  # the first page of a session notes the workspace
    few = _queries(lead)
    _copies(decision, 20)

    assert _queries(lead) == few
