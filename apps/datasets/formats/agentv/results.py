"""Result rows: what upstream's own runs answered and how it judged them, of both eras."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from apps.datasets.contracts import AcceptedRecord, Document, Header, Rejected, RejectedRecord
from apps.datasets.formats.agentv import messages
from apps.datasets.formats.agentv.assertions import is_path
from apps.datasets.formats.agentv.eras import FIFTH, FIRST, RESULT_IDS, THIRD
from apps.datasets.formats.agentv.ids import Ids
from apps.datasets.formats.agentv.notes import Notes
from apps.datasets.formats.agentv.sources import Found
from apps.datasets.formats.building import Facet, Place, accept, length_facet, reject

Row = Mapping[str, Any]
Record = AcceptedRecord | RejectedRecord

NOT_A_RESULT = "Expected an AgentV result row with a numeric score."
RESULTS = "Results of agentv: answers that were given elsewhere, with their scores."
HINT = "Result files are index.jsonl, *-results.jsonl and *.baseline.jsonl of a run."
SUITES = ("suite", "eval_set", "evalSet", "dataset")
SCORERS = ("scores", "evaluator_results", "evaluatorResults", "component_results")
ALIASES = {"component_results": "componentResults", "execution_status": "executionStatus"}
REASONS = ("reasoning", "reason")


def document(name: str, found: Iterable[Found]) -> Document:
    warnings = [RESULTS]
    return Document(Header(dataset_id=name), _records(found), warnings)


def value_of(row: Row, key: str) -> Any:
    """A field by its name in snake case, or in camel case as older rows have it."""
    first, *rest = key.split("_")
    camel = first + "".join(word.capitalize() for word in rest)
    return row.get(key, row.get(camel))


def _records(found: Iterable[Found]) -> Iterator[Record]:
    ids, at_least_one = Ids(), False
    for each in found:
        at_least_one = True
        if each.problem is not None and not isinstance(each.value, dict):
            yield reject(each.place, None, [each.problem])
        else:
            yield _record(each.place, each.value, ids)
    if not at_least_one:
        raise Rejected("The file has no results.")


def _record(place: Place, row: Row, ids: Ids) -> Record:
    notes = Notes()
    test = _test(row)
    _check(row, test, place, notes)
    if notes.problems:
        return reject(place, test or None, notes.problems)
    record_id = ids.free(test)
    if record_id != test:
        message = f"The test {test[:200]} is there more than once: this one is {record_id}."
        notes.told("duplicate_id", message, "test_id")
    resolved = _resolved(row, test)
    record = accept(
        place,
        record_id=record_id,
        kind="result",
        row=row,
        resolved=resolved,
        head=test,
        facets=_facets(row, resolved),
        group=str(value_of(row, "conversation_id") or ""),
        warnings=notes.warnings,
    )
    if isinstance(record, AcceptedRecord):
        ids.take(test, record_id)
    return record


def _test(row: Row) -> str:
    stated = (row.get(key) for key in RESULT_IDS)
    return next((each.strip() for each in stated if isinstance(each, str)), "")


def _check(row: Row, test: str, place: Place, notes: Notes) -> None:
    score = row.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float):
        message = f"Unsupported result row at line {place.line}. {NOT_A_RESULT}"
        notes.wrong("not_a_result", message, "score", score, HINT)
    elif not 0 <= score <= 1:
        message = f"Field 'score' must be from 0 to 1, got {score}"
        notes.wrong("value_out_of_range", message, "score", score)
    elif not test:
        message = "Missing required field: 'test_id'"
        notes.wrong("missing_required_field", message, "test_id", "", "Required: test_id, score")


def _resolved(row: Row, test: str) -> dict[str, Any]:
    status = value_of(row, "execution_status")
    return {
        "era": _era(row),
        "score": row["score"],
        "scores": list(_scores(row)),
        "reasoning": next((row[key] for key in REASONS if isinstance(row.get(key), str)), ""),
        "execution_status": status if isinstance(status, str) else "",
        "error": row.get("error"),
        "target": _text(row.get("target")),
        "messages": _asked(row, test),
    }


def _era(row: Row) -> str:
    if "component_results" in row or "componentResults" in row:
        return FIFTH.name
    return FIRST.name if "eval_id" in row or "evalId" in row else THIRD.name


def _scores(row: Row) -> Iterator[dict[str, Any]]:
    """What each grader said, by the same names in every era; without a number, left out."""
    listed = next((row[key] for key in SCORERS if isinstance(row.get(key), list)), None)
    for number, each in enumerate(listed or row.get("componentResults") or (), 1):
        if not isinstance(each, dict):
            continue
        stated = each.get("assertion")
        grader = stated if isinstance(stated, dict) else {}
        score = each.get("score")
        if isinstance(score, bool) or not isinstance(score, int | float):
            continue
        named = each.get("name") or grader.get("metric") or grader.get("type") or f"grader-{number}"
        yield {
            "name": _text(named),
            "type": _text(each.get("type") or grader.get("type")),
            "score": score,
            "weight": each.get("weight", 1),
            "verdict": _text(each.get("verdict")) or _verdict(each.get("pass")),
            "reasoning": _reason(each),
        }


def _verdict(passed: Any) -> str:
    return ("pass" if passed else "fail") if isinstance(passed, bool) else ""


def _reason(each: Row) -> str:
    """What the grader wrote, else which of its checks passed."""
    stated = next((each[key] for key in REASONS if isinstance(each.get(key), str)), "")
    return stated or checks_told(each)


def checks_told(row: Row) -> str:
    """`2 of 3 checks passed. Failed: …` of assertions, or of hits and misses."""
    checks = row.get("assertions")
    if isinstance(checks, list):
        known = [each for each in checks if isinstance(each, dict)]
        missed = [_text(each.get("text")) for each in known if each.get("passed") is not True]
        total = len(known)
    else:
        hits, misses = (row.get(key) for key in ("hits", "misses"))
        missed = [_text(each) for each in misses] if isinstance(misses, list) else []
        total = len(missed) + (len(hits) if isinstance(hits, list) else 0)
    if not total:
        return ""
    told = f"{total - len(missed)} of {total} checks passed."
    return f"{told} Failed: {'; '.join(missed)}"[:2000] if missed else told


def _asked(row: Row, test: str) -> list[dict[str, Any]]:
    """What was asked where the row says so, else a message that names the test."""
    request = value_of(row, "lm_provider_request")
    inner = request if isinstance(request, dict) else {}
    for stated in (row.get("input"), inner.get("chat_prompt"), inner.get("question")):
        if not stated or (isinstance(stated, str) and is_path(stated)):
            continue
        notes = Notes()
        found = messages.as_messages(stated, "input", notes)
        if found and not notes.problems:
            return [{"role": each["role"], "content": messages.plain(each)} for each in found]
    return [{"role": "user", "content": f"The test {test}, whose input is not in the results."}]


def _facets(row: Row, resolved: Mapping[str, Any]) -> Iterator[Facet]:
    yield "suite", next((_text(row[key]) for key in SUITES if row.get(key)), "")
    yield "conversation", _text(value_of(row, "conversation_id"))
    yield "target", resolved["target"]
    yield "execution_status", resolved["execution_status"]
    yield length_facet(resolved["messages"][-1]["content"])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
