"""A decision as JSON, JUnit, Markdown and text, whatever the names in it hold."""

import json
import re
from xml.etree import ElementTree as Xml

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from apps.accounts.models import User, Workspace
from apps.analysis.gates.contracts import Report
from apps.analysis.gates.overriding import override
from apps.analysis.gates.telling.linking import report_of
from apps.analysis.gates.telling.reports import as_json, as_junit, as_markdown, as_text
from apps.analysis.gates.telling.spelling import for_markdown, for_terminal, for_xml
from apps.analysis.models import GateDecision
from tests.runs.building import FAILED_CONTRACT, PASSED, make_version

from .building import AT, a_decision, a_policy, a_run, approved

HOSTILE = "new|<script>*x*</script> @bob #1 [a](https://evil.example) `b`"


@pytest.fixture
def decision(workspace: Workspace) -> GateDecision:
    version = make_version(workspace, 200)
    before = a_run(workspace, 180, 20, version=version, name="in production")
    after = a_run(workspace, 140, 60, version=version, name=HOSTILE)
    policy = a_policy(
        workspace,
        "release <gate>",
        metrics=[
            {"metric": "pass_rate", "at_least": 0.65, "margin": 0.05},
            {"metric": "latency_p95", "at_most": 3_000},
        ],
    )
    return a_decision(after, policy, before, change_id="change|7")


@pytest.fixture
def report(decision: GateDecision) -> Report:
    return report_of(decision, base="", reader=None)


def test_json_says_the_judgment_in_its_own_words_first(report: Report) -> None:
    told = json.loads(as_json(report))

    assert list(told)[:5] == ["change_id", "gate", "verdict", "blocking_reason", "next_action"]
    assert (told["change_id"], told["gate"], told["verdict"]) == (
        "change|7",
        "release <gate>",
        "fail",
    )
    assert [check["answer"] for check in told["checks"]] == ["pass", "inconclusive", "pass", "fail"]
    assert told["checks"][3]["links"][0]["page"].startswith("/w/demo/compare/records/?run=")
    assert told["links"]["decision"] == f"/w/demo/gates/decisions/{report.id}/"
    assert told["override"] is None


def test_the_links_of_every_check_open(report: Report, alice: User, client: Client) -> None:
    client.force_login(alice)
    pages = {link.page for links in report.links.values() for link in links}

    statuses = {page: client.get(page).status_code for page in {*pages, report.page}}

    assert set(statuses.values()) == {200}, statuses


def test_junit_has_a_case_a_check_and_an_open_one_is_an_error(report: Report) -> None:
    root = Xml.fromstring(as_junit(report))

    [suite] = root
    cases = suite.findall("testcase")
    assert (root.tag, suite.get("name")) == ("testsuites", "gate release <gate>")
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == [
        "4",
        "1",
        "1",
        "0",
    ]
    assert [[child.tag for child in case] for case in cases] == [
        ["system-out"],
        ["error"],
        ["system-out"],
        ["failure"],
    ]
    assert len({case.get("classname") for case in cases}) == 4
    failure = cases[3].find("failure")
    assert failure is not None
    assert failure.get("type") == "worse_than_baseline"
    properties = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert properties["change_id"] == "change|7"
    assert properties["verdict"] == "fail"


def test_names_are_text_in_markdown_and_never_markup(report: Report) -> None:
    told = as_markdown(report)

    assert told.startswith("## ❌ release \\<gate\\>: fail\n")
    assert "<script>" not in told
    assert "new\\|\\<script\\>\\*x\\*\\</script\\> @&#8203;bob #&#8203;1" in told
    assert not re.search(r"(?<!\\)\]\(https", told)
    rows = [line for line in told.splitlines() if line.startswith("| ")]
    assert len(rows) == 5
    assert {row.replace("\\|", "").count("|") for row in rows} == {4}


def test_links_stand_in_markdown_where_the_server_knows_its_address(
    decision: GateDecision,
) -> None:
    told = as_markdown(report_of(decision, base="https://evalhub.example.org", reader=None))

    assert (
        f"[The decision](<https://evalhub.example.org/w/demo/gates/decisions/{decision.pk}/>)"
        in (told)
    )
    assert "[The records that got worse](<https://evalhub.example.org/w/demo/compare/" in told
    assert "[Compare the two runs](<https://evalhub.example.org/w/demo/compare/?run=" in told
    assert "| Answer | Check | Found | Evidence |" in told
    rows = [line for line in told.splitlines() if line.startswith(("| ❌", "| ⚠️", "| ✅"))]
    assert all("](<https://evalhub.example.org/w/demo/" in row for row in rows)


def test_without_an_address_there_is_no_column_for_the_evidence(report: Report) -> None:
    assert "| Answer | Check | Found |\n|---|---|---|\n" in as_markdown(report)


@pytest.mark.parametrize(
    "plain",
    [
        "Rule no_secret: 1 answer of 4 failed (25 %), and none may. A - b + c: d!",
        "+1.2 points",
        "R & D",
        "1.5 s",
    ],
)
def test_what_is_no_markup_stands_in_markdown_as_it_is(plain: str) -> None:
    assert for_markdown(plain) == plain


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("- a list", r"\- a list"),
        ("---", r"\---"),
        ("1. one", r"1\. one"),
        ("_b_ a_b", r"\_b\_ a_b"),
        ("https://x www.x", r"https\://x www\.x"),
        ("&lt;", "&amp;lt;"),
    ],
)
def test_what_would_be_markup_is_escaped(text: str, escaped: str) -> None:
    assert for_markdown(text) == escaped


def test_a_comment_and_json_list_the_slices_that_were_looked_at(workspace: Workspace) -> None:
    version = make_version(workspace, 200)
    given = [FAILED_CONTRACT if ordinal % 6 == 0 else PASSED for ordinal in range(200)]
    run, before = (
        a_run(workspace, 0, 0, *given, version=version),
        a_run(workspace, 200, version=version),
    )
    slices = [{"families": ["metadata.language", "tag"], "margin": 0.1}]
    decision = a_decision(run, a_policy(workspace, slices=slices), before)

    report = report_of(decision, base="", reader=None)

    told = as_markdown(report).partition("<details><summary>46 slices, one by one</summary>")[2]
    rows = [line for line in told.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == 20
    assert rows[0] == ("| ❌ fail | language: English | 34 | −100 points (−100 to −79.7 points) |")
    assert rows[-1].startswith("| too few to say |")
    assert "And 26 more: the decision lists all of them." in told
    [check] = [each for each in json.loads(as_json(report))["checks"] if each["slices"]]
    assert len(check["slices"]) == 46
    assert check["slices"][0]["difference"]["point"] == -1


def test_text_has_a_line_a_check_and_reasons_for_what_does_not_hold(report: Report) -> None:
    told = as_text(report)

    first, *rest = told.splitlines()
    assert first.startswith("FAIL release <gate>@1: ")
    assert first.endswith(" against in production, not the approved baseline, change change|7")
    assert "  200 records in both runs, 0 only in the baseline, 0 only in the run" in rest
    assert sum("[worse_than_baseline]" in line for line in rest) == 1
    assert any(line.startswith("  next: Look at the records that got worse") for line in rest)


def test_an_override_is_told_beside_the_gates_own_verdict(
    decision: GateDecision, alice: User
) -> None:
    override(decision, answer="pass", reason="Labels *were* wrong.", by=alice, now=AT)

    report = report_of(decision, base="", reader=None)

    told = json.loads(as_json(report))
    assert (told["verdict"], told["answer"]) == ("fail", "pass")
    assert told["override"] == {
        "answer": "pass",
        "reason": "Labels *were* wrong.",
        "by": alice.label,
        "at": "2026-03-02T09:30:00Z",
        "seq": 1,
        "takes_back": False,
    }
    assert "**Overridden to pass** by Alice" in as_markdown(report)
    assert "Labels \\*were\\* wrong" in as_markdown(report)


@given(st.text())
def test_whatever_a_name_holds_is_well_formed_xml(name: str) -> None:
    element = Xml.Element("testcase", name=for_xml(name))
    element.text = for_xml(name)

    read = Xml.fromstring(Xml.tostring(element, encoding="utf-8"))

    assert read.tag == "testcase"


@given(st.text())
def test_whatever_a_name_holds_is_one_line_that_commands_no_terminal(name: str) -> None:
    assert for_terminal(name).isprintable()
    assert "\n" not in for_markdown(name)
    assert "<" not in for_markdown(name).replace("\\<", "")
    assert "|" not in for_markdown(name).replace("\\|", "").replace("\\\\", "")


def test_control_characters_of_a_slice_stay_out_of_every_report(report: Report) -> None:
    [first, *others] = report.decided.checks
    evil = first.model_copy(update={"title": "a\x1b[31m\x00\x08\ud800 b\nc", "key": "x\x0by"})
    spoiled = report.model_copy(
        update={"decided": report.decided.model_copy(update={"checks": (evil, *others)})}
    )

    root = Xml.fromstring(as_junit(spoiled).encode())

    assert root.find(".//testcase").get("name") == "a�[31m��� b\nc"  # type: ignore[union-attr]
    assert "\x1b" not in as_text(spoiled) + as_markdown(spoiled)


EVIL = "]]>|`x` @bob #1 <img src=x onerror=y> **b** [a](http://x) ~~s~~ &amp; -->"


@pytest.fixture
def evil(workspace: Workspace) -> Report:
    """Policy, runs, rule and change are all called what no report may obey."""
    version = make_version(workspace, 200)
    before = a_run(workspace, 180, 20, version=version, name=f"before {EVIL}")
    after = a_run(workspace, 140, 60, version=version)
    after.name = f"after {EVIL}\x1b[2J"  # as no door takes it today
    after.save(update_fields=["name"])
    policy = a_policy(
        workspace,
        f"gate {EVIL}",
        blocking_rules=[f"rule {EVIL}"],
        metrics=[{"metric": "pass_rate", "margin": 0.05}],
    )
    return report_of(a_decision(after, policy, before, change_id=EVIL), base="", reader=None)


def test_hostile_names_are_text_in_junit(evil: Report) -> None:
    told = as_junit(evil)

    [suite] = Xml.fromstring(told.encode())
    assert suite.get("name") == f"gate gate {EVIL}"
    assert any(EVIL in (case.get("name") or "") for case in suite.iter("testcase"))
    assert {each.tag for each in suite.iter()} == {
        *("testsuite", "properties", "property", "testcase"),
        *("system-out", "failure", "error"),
    }
    assert "]]>" not in told
    assert not set("\x00\x1b") & set(told)


def test_hostile_names_are_text_in_markdown(evil: Report) -> None:
    told = as_markdown(evil)

    bare = re.sub(r"\\.", "", told.removeprefix("## "))
    tables = [line for line in bare.splitlines() if line.startswith("| ")]
    assert {line.count("|") for line in tables} == {4}
    assert not re.search(r"[`<>~]|@(?!&#8203;)|(?<!&)#(?!&#8203;)", bare)
    assert "**b**" not in told
    assert "](http" not in bare
    assert not set("\x00\x1b") & set(told)
    assert "\x1b" not in as_text(evil)


def test_every_report_carries_the_warnings_and_whose_baseline_it_is(evil: Report) -> None:
    [warning, *_] = evil.decided.warnings
    root = Xml.fromstring(as_junit(evil).encode())

    given = [(each.get("name"), each.get("value")) for each in root.iter("property")]
    assert "is not the approved baseline" in warning
    assert ("warning", for_xml(warning)) in given
    assert ("baseline_is_approved", "false") in given
    assert for_xml(warning) in (root.findtext("testsuite/system-out") or "")
    assert ", not the approved baseline" in as_markdown(evil)
    assert for_markdown(warning) in as_markdown(evil)
    assert ", not the approved baseline, change" in as_text(evil).splitlines()[0]
    assert json.loads(as_json(evil))["baseline_is_approved"] is False


def test_the_page_says_that_the_baseline_is_not_the_approved_one(
    evil: Report, alice: User, client: Client
) -> None:
    client.force_login(alice)

    page = client.get(evil.page).content.decode()

    assert "<em>not the approved baseline</em>" in page
    assert "<img src=x" not in page


def test_where_the_approved_run_is_the_baseline_nothing_is_said(workspace: Workspace) -> None:
    version = make_version(workspace, 40)
    policy = a_policy(workspace, metrics=[{"metric": "pass_rate", "margin": 0.05}])
    approved(policy, a_run(workspace, 30, 10, version=version))

    decision = a_decision(a_run(workspace, 30, 10, version=version), policy)
    report = report_of(decision, base="", reader=None)

    assert "not the approved" not in as_text(report) + as_markdown(report) + as_junit(report)
    assert ("baseline_is_approved", "true") in {
        (each.get("name"), each.get("value"))
        for each in Xml.fromstring(as_junit(report).encode()).iter("property")
    }
