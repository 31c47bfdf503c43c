"""The page of a decision: its reasons, its evidence, its files; for whom and what not."""

import json
import re
from datetime import timedelta
from xml.etree import ElementTree as Xml

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.analysis.gates.overriding import override
from apps.analysis.models import GateDecision
from apps.analysis.views.gates import FILES
from apps.datasets.models import DatasetVersion
from apps.runs.models import Run
from tests.labeling.building import labels_blind
from tests.runs.building import FAILED_CONTRACT, PASSED, make_version

from .asking import HOSTILE, page_of, sent, text_of
from .building import AT, MARGIN, a_decision, a_policy, a_run, approved

ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
WORD = re.compile(r"<[^>]+>")


@pytest.fixture
def decision(workspace: Workspace) -> GateDecision:
    """Fails on one thing, is open on another, holds a third."""
    version = make_version(workspace, 60)
    base = a_run(workspace, 50, 10, version=version, name="v1.4")
    run = a_run(workspace, 48, 12, version=version, name="v1.5")
    policy = a_policy(
        workspace,
        metrics=[{"metric": "pass_rate", "at_least": 0.95, "margin": 0.03}],
        failure_rate_at_most=0.5,
    )
    approved(policy, base)
    return a_decision(run, policy, change_id=f"change-17 {HOSTILE}")


def test_a_decision_tells_its_answer_its_reasons_and_what_would_settle_it(
    lead: Client, decision: GateDecision
) -> None:
    page = text_of(lead, f"decisions/{decision.pk}/")

    assert "The gate said" not in page
    assert decision.body["judgment"]["blocking_reason"][:40] in page
    assert "1 check not held" in page
    assert "1 check open: too little is known" in page
    assert "What would settle it:" in page
    assert page.count('class="whisker') == 3
    assert "points, 95 % confidence interval" in page
    assert HOSTILE not in page
    assert f"/w/demo/runs/{decision.run_id}/results/?outcome=failed_contract" in page
    assert "/w/demo/compare/records/" in page


def test_an_override_stands_above_what_the_gate_said_with_name_and_reason(
    lead: Client, decision: GateDecision, alice: User
) -> None:
    path = f"decisions/{decision.pk}/"

    silent = sent(lead, f"{path}override/", answer="pass", reason="")
    odd = sent(lead, f"{path}override/", answer="maybe", reason="Why not.")
    said = sent(lead, f"{path}override/", answer="pass", reason=f"Known flake. {HOSTILE}")

    page = text_of(lead, path)
    assert [silent.status_code, odd.status_code, said.status_code] == [422, 422, 302]
    assert page.index("Alice overrode the gate") < page.index("The gate said")
    assert "Known flake." in page
    assert HOSTILE not in page
    assert decision.overrides.get().by == alice


def test_a_decision_comes_as_json_junit_and_markdown(lead: Client, decision: GateDecision) -> None:
    path = f"decisions/{decision.pk}/as/"

    as_json, junit = page_of(lead, f"{path}json/"), page_of(lead, f"{path}junit/")
    markdown, odd = page_of(lead, f"{path}markdown/"), page_of(lead, f"{path}exe/")

    assert json.loads(as_json.content)["decision_id"] == decision.pk
    assert Xml.fromstring(junit.content).attrib["failures"] == "1"
    assert markdown.content.decode().startswith("## ❌ releases: fail")
    assert as_json["content-disposition"] == f'attachment; filename="{decision.pk}.json"'
    assert odd.status_code == 404


def test_a_tab_that_was_opened_before_replaces_no_override_unseen(
    lead: Client, workspace: Workspace, alice: User
) -> None:
    decision = a_decision(a_run(workspace, 20, 20), a_policy(workspace))
    path = f"decisions/{decision.pk}/"
    sent(lead, f"{path}override/", answer="pass", reason="Known.", replaces=0)

    stale = sent(lead, f"{path}override/", answer="inconclusive", reason="Wait.", replaces=0)
    told = stale.content.decode()
    seen = sent(lead, f"{path}override/", answer="fail", reason="Not after all.", replaces=1)
    page = text_of(lead, path)

    assert (stale.status_code, seen.status_code) == (422, 302)
    assert "nothing was changed" in told
    assert 'name="replaces" value="1"' in told
    assert "Wait." in told
    assert f"{alice.label} took the override back" in page
    assert "overrode the gate" not in page
    assert [each.answer for each in decision.overrides.order_by("seq")] == ["pass", "fail"]


def test_reviewers_read_and_neither_ask_nor_override(
    client: Client, bob: User, decision: GateDecision
) -> None:
    client.force_login(bob)

    page = text_of(client, f"decisions/{decision.pk}/")
    policy = text_of(client, f"policies/{decision.policy_version.policy_id}/")
    refused = sent(client, f"decisions/{decision.pk}/override/", answer="pass", reason="Why.")

    assert "Override as" not in page
    assert "Who was told" not in page
    assert "Ask the gate" not in policy
    assert refused.status_code == 403


def test_who_labels_blind_learns_neither_the_baseline_nor_what_was_decided(
    client: Client, bob: User, decision: GateDecision
) -> None:
    assert decision.baseline is not None
    labels_blind(decision.baseline, bob)
    client.force_login(bob)
    policy = decision.policy_version.policy_id

    pages = [text_of(client), text_of(client, f"policies/{policy}/")]

    assert page_of(client, f"decisions/{decision.pk}/").status_code == 404
    assert page_of(client, f"decisions/{decision.pk}/as/json/").status_code == 404
    assert re.search(r"\d runs? (is|are) hidden while you label blind", pages[0])
    for page in pages:
        assert "hidden while you label blind" in page
        assert "v1.4" not in page
        assert "It is in production." not in page
        assert "No decision that is open to you now" in page
        assert "never asked" not in page
        assert "No decision yet" not in page
        assert "change-17" not in page


def test_a_run_says_what_the_gate_said_of_it(
    lead: Client, decision: GateDecision, alice: User
) -> None:
    before = lead.get(f"/w/demo/runs/{decision.run_id}/").content.decode()
    override(decision, answer="pass", reason="Known.", by=alice, now=timezone.now())
    after = lead.get(f"/w/demo/runs/{decision.run_id}/").content.decode()

    head = before.partition("</header>")[2]
    assert f"/w/demo/gates/decisions/{decision.pk}/" in head
    assert "<em>overridden</em>" not in before
    assert "<em>overridden</em>" in after
    assert f"/w/demo/gates/?run={decision.run_id}" in after


def test_an_archived_run_keeps_its_decisions(lead: Client, decision: GateDecision) -> None:
    Run.objects.filter(pk=decision.run_id).update(archived_at=AT + timedelta(days=1))

    assert page_of(lead, f"decisions/{decision.pk}/").status_code == 200


def _a_language_worse(workspace: Workspace, version: DatasetVersion) -> Run:
    """Of six languages, every record of the first fails."""
    given = [FAILED_CONTRACT if ordinal % 6 == 0 else PASSED for ordinal in range(200)]
    return a_run(workspace, 0, 0, *given, version=version)


def test_the_slices_that_were_looked_at_stand_one_by_one_the_harmed_first(
    lead: Client, workspace: Workspace, version: DatasetVersion
) -> None:
    run, base = _a_language_worse(workspace, version), a_run(workspace, 200, version=version)
    slices = {"families": ["metadata.language", "tag"], "margin": 0.1}
    decision = a_decision(run, a_policy(workspace, slices=[slices]), base)

    page = text_of(lead, f"decisions/{decision.pk}/")

    rows = ROW.findall(page.partition("46 slices, one by one")[2].partition("</table>")[0])[1:]
    told = [" ".join(WORD.sub(" ", row).split()) for row in rows]
    assert len(told) == 46
    assert told[0] == "English Language 34 −100 points −100 to −79.7 points Fail"
    assert told[1].endswith("No harm seen")
    assert told[-1].endswith("too few to say")
    assert "family=metadata.language&amp;value=English" in rows[0]


def test_few_slices_lie_open_and_many_are_folded_away(
    lead: Client, workspace: Workspace, version: DatasetVersion
) -> None:
    runs = [a_run(workspace, 180, 20, version=version) for _ in range(2)]
    few, many = (
        a_decision(runs[0], a_policy(workspace, name, slices=[{"families": [name]}]), runs[1])
        for name in ("metadata.language", "tag")
    )

    pages = [text_of(lead, f"decisions/{each.pk}/") for each in (few, many)]

    assert ['class="disclosed looked" open' in page for page in pages] == [True, False]
    assert ["slices, one by one" in page for page in pages] == [True, True]


def test_a_decision_leads_to_both_runs_side_by_side_and_to_what_got_worse(
    lead: Client, decision: GateDecision
) -> None:
    page = text_of(lead, f"decisions/{decision.pk}/")

    base, run = decision.baseline_id, decision.run_id
    runs = f"run={base}&amp;run={run}&amp;baseline={base}"
    compare, worse = f"/w/demo/compare/?{runs}", f"/w/demo/compare/records/?{runs}&amp;move=worse"
    assert f'href="{compare}">Compare the two runs' in page
    assert f'href="{worse}">The records that got worse' in page
    for address in (compare, worse):
        assert lead.get(address.replace("&amp;", "&")).status_code == 200


def test_without_a_baseline_there_is_nothing_to_compare(lead: Client, workspace: Workspace) -> None:
    decision = a_decision(a_run(workspace, 20, 20), a_policy(workspace))

    assert "Compare the two runs" not in text_of(lead, f"decisions/{decision.pk}/")


def test_the_approved_baseline_is_named_to_those_alone_who_may_see_it(
    client: Client, workspace: Workspace, version: DatasetVersion, alice: User, bob: User
) -> None:
    other, run = (
        a_run(workspace, 180, 20, version=version, name=name) for name in ("yesterday", "today")
    )
    labelled = make_version(workspace, 200, name="labelled blind")
    hidden = a_run(workspace, 180, 20, version=labelled, name="hidden one")
    policy = a_policy(workspace, **MARGIN)
    approved(policy, hidden)
    decision = a_decision(run, policy, other)
    labels_blind(hidden, bob)

    told = {}
    for person in (alice, bob):
        client.force_login(person)
        page = text_of(client, f"decisions/{decision.pk}/")
        files = [page_of(client, f"decisions/{decision.pk}/as/{form}/") for form in FILES]
        by_api = client.get(f"/api/v1/gates/{decision.pk}")
        told[person.username] = page + "".join(each.content.decode() for each in (*files, by_api))

    assert "not the approved baseline" in told["bob"]
    for secret in ("hidden one", hidden.pk):
        assert secret in told["alice"]
        assert secret not in told["bob"]


def test_of_very_many_open_checks_the_first_stand_and_the_rest_are_folded_away(
    lead: Client, workspace: Workspace
) -> None:
    missing = [f"rule:missing-{number}:pass_rate" for number in range(40)]
    policy = a_policy(workspace, metrics=[{"metric": each, "at_least": 0.5} for each in missing])
    decision = a_decision(a_run(workspace, 20), policy)

    group = text_of(lead, f"decisions/{decision.pk}/").partition("40 checks open")[2]

    first, folded, _ = group.partition(">32 more</summary>")
    assert folded
    assert first.count('class="words"') == 8


def test_a_chart_without_its_limit_speaks_of_no_dashed_line(
    lead: Client, workspace: Workspace
) -> None:
    budget = a_policy(workspace, failure_budget=0.02)
    limit = a_policy(workspace, "limit", failure_rate_at_most=0.02)
    run = a_run(workspace, 30, 10)

    without, within = (
        text_of(lead, f"decisions/{a_decision(run, policy).pk}/") for policy in (budget, limit)
    )

    assert 'class="whisker' in without
    assert "Dashed" not in without
    assert "Dashed: at most 2 %" in within
