"""A decision as JSON, JUnit XML, Markdown and plain text. Pure."""

import json
from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree import ElementTree as Xml

from apps.analysis.gates.contracts import Check, Report, SeenSlice
from apps.analysis.gates.telling.spelling import (
    bounds_of,
    difference_of,
    for_markdown,
    for_terminal,
    for_xml,
    observed,
)
from apps.analysis.gates.telling.wording import TOO_FEW_TO_SAY, word_of
from apps.metrics.gated import Finding
from apps.metrics.gating.words import counted
from apps.metrics.words import family_name

SIGNS = {"pass": "✅", "fail": "❌", "inconclusive": "⚠️"}

MOST_SLICES = 20
"""That a comment lists of a check."""

_INDENT = " " * 14


def facts(report: Report) -> dict[str, Any]:
    """As JSON: the release judgment in its own words first, then what it rests on.

    `verdict` is what the gate said, `answer` what counts after an override.
    """
    found = report.decided
    said = found.model_dump(mode="json", exclude={"answer", "judgment", "checks"})
    return {
        **found.judgment.model_dump(mode="json"),
        "decision_id": report.id,
        "answer": report.answer,
        "override": report.overridden.model_dump(mode="json") if report.overridden else None,
        "decided_by": report.decided_by,
        **said,
        "checks": [_check_facts(check, report) for check in found.checks],
        "links": {
            "decision": report.page,
            "run": report.run_page,
            "baseline": report.baseline_page,
            "comparison": report.comparison_page,
            "worse": report.worse_page,
        },
    }


def as_json(report: Report) -> str:
    return json.dumps(facts(report), indent=2, ensure_ascii=False)


def as_junit(report: Report) -> str:
    """One test case a check: `failure` where it fails, `error` where it is inconclusive.

    An open check is no success: what reads JUnit counts skipped tests as green, errors as red.
    """
    found = report.decided
    name = for_xml(f"gate {found.policy.name}")
    counts = {
        "tests": str(len(found.checks)),
        "failures": str(len(found.of("fail"))),
        "errors": str(len(found.of("inconclusive"))),
        "skipped": "0",
        "time": "0",
    }
    root = Xml.Element("testsuites", {"name": name, **counts})
    when = found.decided_at.isoformat(timespec="seconds")
    suite = Xml.SubElement(root, "testsuite", {"name": name, **counts, "timestamp": when})
    properties = Xml.SubElement(suite, "properties")
    for key, value in _identity(report):
        Xml.SubElement(properties, "property", {"name": key, "value": for_xml(value)})
    for check in found.checks:
        suite.append(_case(check, report))
    if found.warnings:
        told = "\n".join(f"warning: {each}" for each in found.warnings)
        Xml.SubElement(suite, "system-out").text = for_xml(told)
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True)


def as_markdown(report: Report) -> str:
    """For a comment on a change; names and sentences are text in it, whatever they hold."""
    return "\n".join(_markdown(report))


def as_text(report: Report) -> str:
    """For a terminal: the answer, a line a check, and what to do next."""
    return "\n".join(_text(report))


def _check_facts(check: Check, report: Report) -> dict[str, Any]:
    links = [link.model_dump() for link in report.links.get(check.key, ())]
    said = check.model_dump(mode="json", exclude={"finding", "evidence"})
    return {**said, **check.finding.model_dump(), "links": links}


def _identity(report: Report) -> Iterator[tuple[str, str]]:
    found = report.decided
    yield "decision_id", report.id
    yield "change_id", found.judgment.change_id
    yield "verdict", found.judgment.verdict
    yield "answer", report.answer
    yield "policy", f"{found.policy.name}@{found.policy.version}"
    yield "policy_sha256", found.policy.sha256
    yield "run", found.run.id
    yield "baseline", found.baseline.id if found.baseline else ""
    if found.baseline_is_approved is not None:
        yield "baseline_is_approved", str(found.baseline_is_approved).lower()
    yield "page", report.page
    yield from (("warning", each) for each in found.warnings)


def _case(check: Check, report: Report) -> Xml.Element:
    """Told apart by the key of the check, which stands where a class would."""
    case = Xml.Element(
        "testcase", classname=for_xml(check.key), name=for_xml(check.title), time="0"
    )
    finding = check.finding
    if finding.answer == "pass":
        Xml.SubElement(case, "system-out").text = for_xml(finding.reason)
        return case
    tag = "failure" if finding.answer == "fail" else "error"
    told = {"message": for_xml(finding.reason), "type": finding.code}
    Xml.SubElement(case, tag, told).text = for_xml("\n".join(_told_in_full(check, report)))
    return case


def _told_in_full(check: Check, report: Report) -> Iterator[str]:
    yield check.finding.reason
    if check.finding.evidence:
        yield check.finding.evidence
    if check.correction:
        yield check.correction
    for link in report.links.get(check.key, ()):
        yield f"{link.title}: {link.page}"


def _markdown(report: Report) -> Iterator[str]:
    found, judgment = report.decided, report.decided.judgment
    gate, change = for_markdown(judgment.gate), for_markdown(judgment.change_id)
    yield f"## {SIGNS[judgment.verdict]} {gate}: {judgment.verdict}"
    yield ""
    yield f"Change {change}, run {_linked(found.run.title, report.run_page)}{_against(report)}."
    if report.overridden:
        said = report.overridden
        yield ""
        what = "Override taken back" if said.takes_back else f"Overridden to {said.answer}"
        yield (f"**{what}** by {for_markdown(said.by)}: {for_markdown(said.reason)}")
    if judgment.blocking_reason:
        yield ""
        yield for_markdown(judgment.blocking_reason)
    yield from _markdown_list("Next", judgment.next_action)
    yield ""
    yield from _markdown_checks(report)
    yield from (line for check in found.checks for line in _markdown_slices(check))
    yield from _markdown_list("Warnings", found.warnings)
    yield ""
    yield " · ".join(_markdown_links(report))


def _against(report: Report) -> str:
    found = report.decided
    if not found.baseline or not report.baseline_page:
        return ""
    shared = f" ({found.shared.shared:,} records in both)" if found.shared else ""
    linked = _linked(found.baseline.title, report.baseline_page)
    return f" against {linked}{_instead(report)}{shared}"


def _instead(report: Report) -> str:
    """Where the run that was compared with is not the one that somebody approved."""
    return ", not the approved baseline" if report.decided.baseline_is_approved is False else ""


def _markdown_checks(report: Report) -> Iterator[str]:
    """A column for the evidence only where some of it can be opened."""
    checks = report.decided.checks
    links = [_markdown_evidence(check, report) for check in checks]
    headings = ("Answer", "Check", "Found", *(("Evidence",) if any(links) else ()))
    yield _row(headings)
    yield f"|{'---|' * len(headings)}"
    for check, linked in zip(checks, links, strict=True):
        yield _row((*_markdown_cells(check), *((linked,) if any(links) else ())))


def _markdown_evidence(check: Check, report: Report) -> str:
    links = [link for link in report.links.get(check.key, ()) if link.page.startswith("http")]
    return " ".join(_linked(link.title, link.page) for link in links)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cells(check: Check) -> tuple[str, str, str]:
    """What holds in numbers, what does not in a sentence."""
    finding = check.finding
    why = " ".join(filter(None, (finding.reason, finding.evidence)))
    found = (observed(check) or why) if finding.answer == "pass" else why
    return _signed(finding), for_markdown(check.title), for_markdown(found)


def _signed(said: Finding | SeenSlice) -> str:
    word = word_of(said)
    return word if word == TOO_FEW_TO_SAY else f"{SIGNS[said.answer]} {word}"


def _markdown_slices(check: Check) -> Iterator[str]:
    """The worst of those that were looked at; nothing of what they hold stands in the HTML."""
    if not check.slices:
        return
    yield ""
    yield f"<details><summary>{counted(len(check.slices), 'slice')}, one by one</summary>"
    yield ""
    yield for_markdown(check.title)
    yield ""
    yield "| Answer | Slice | Records | Difference |"
    yield "|---|---|---|---|"
    for seen in check.slices[:MOST_SLICES]:
        cells = (
            _signed(seen),
            for_markdown(f"{family_name(seen.family)}: {seen.value}"),
            f"{seen.difference.n:,}",
            for_markdown(" ".join((difference_of(check, seen), _bounds(check, seen))).strip()),
        )
        yield _row(cells)
    if (left := len(check.slices) - MOST_SLICES) > 0:
        yield ""
        yield f"And {left:,} more: the decision lists all of them."
    yield ""
    yield "</details>"


def _bounds(check: Check, seen: SeenSlice) -> str:
    bounds = bounds_of(check, seen)
    return f"({bounds})" if bounds else ""


def _markdown_links(report: Report) -> Iterator[str]:
    yield f"{_linked('The decision', report.page)} {report.id}"
    if report.comparison_page and report.worse_page:
        yield _linked("Compare the two runs", report.comparison_page)
        yield _linked("The records that got worse", report.worse_page)


def _markdown_list(heading: str, sentences: tuple[str, ...]) -> Iterator[str]:
    if not sentences:
        return
    yield ""
    yield f"**{heading}**"
    yield ""
    yield from (f"- {for_markdown(each)}" for each in sentences)


def _linked(text: str, page: str) -> str:
    """A link where the server knows its own address; else the text alone."""
    spelled = for_markdown(text)
    return f"[{spelled}](<{page}>)" if page.startswith("http") else spelled


def _text(report: Report) -> Iterator[str]:
    found, judgment = report.decided, report.decided.judgment
    against = f" against {found.baseline.title}{_instead(report)}" if found.baseline else ""
    yield for_terminal(
        f"{judgment.verdict.upper()} {judgment.gate}@{found.policy.version}: "
        f"{found.run.title}{against}, change {judgment.change_id}"
    )
    yield f"  decision {report.id}  run {found.run.id}"
    if found.shared:
        yield (
            f"  {found.shared.shared:,} records in both runs, "
            f"{found.shared.only_baseline:,} only in the baseline, "
            f"{found.shared.only_candidate:,} only in the run"
        )
    yield from (f"  {line}" for check in found.checks for line in _text_lines(check))
    yield from (f"  warning: {for_terminal(each)}" for each in found.warnings)
    yield from (f"  next: {for_terminal(each)}" for each in judgment.next_action)


def _text_lines(check: Check) -> Iterator[str]:
    numbers = observed(check)
    told = f"{check.title}: {numbers}" if numbers else check.title
    word = word_of(check.finding)
    yield f"{word.upper():<12}  {for_terminal(told)}"
    if word != "pass":
        yield f"{_INDENT}{for_terminal(check.finding.reason)} [{check.finding.code}]"
    if check.correction:
        yield f"{_INDENT}{for_terminal(check.correction)}"
