"""Every other reader: records a second, beside plain `json.loads` of the same records as lines."""

import csv
import io
import json
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from apps.datasets.contracts import AcceptedRecord
from apps.datasets.formats import FORMATS
from apps.datasets.uploading.bundles import Bundle
from benchmarks.own_process import Row

RECORDS = 10_000
ROUNDS = 3
WORDS = "the depot counts every crate before noon and files the ledger by route and supplier "


class Case(NamedTuple):
    """A file for a reader, and its records as the lines that json.loads takes."""

    format_id: str
    name: str
    raw: bytes
    rows: list[Any]
    beside: dict[str, bytes] = {}
    records: int = RECORDS


def rows() -> list[Row]:
    return [row for case in _cases() for row in _measured(case)]


def _measured(case: Case) -> list[Row]:
    lines = [json.dumps(row) for row in case.rows]
    plain = _seconds(lambda: [json.loads(line) for line in lines])
    ours = _seconds(lambda: _read(case))
    what = f"{case.format_id} ({case.name.rpartition('.')[2]}), {len(case.raw) / 1e6:.1f} MB"
    return [
        (f"{what}: records a second", f"{case.records / ours:,.0f}", ""),
        (f"{what}: json.loads of the lines, a second", f"{len(lines) / plain:,.0f}", "the measure"),
        (f"{what}: in multiples of json.loads", f"{ours / plain:.1f}", ""),
    ]


def _read(case: Case) -> None:
    found = FORMATS[case.format_id].read(Bundle(case.name, case.raw, case.beside))
    accepted = sum(isinstance(record, AcceptedRecord) for record in found)
    if accepted != case.records:
        raise SystemExit(f"{case.format_id} read {accepted} of {case.records} records")


def _seconds(work: Callable[[], object]) -> float:
    def once() -> float:
        started = time.perf_counter()
        work()
        return time.perf_counter() - started

    return statistics.median(once() for _ in range(ROUNDS))


def _cases() -> list[Case]:
    legal = [_legal(n) for n in range(RECORDS)]
    cases = [_case(n) for n in range(RECORDS)]
    scenarios = [_scenario(n) for n in range(RECORDS)]
    pairs = [_pair(n) for n in range(RECORDS)]
    labels = [_label(n) for n in range(RECORDS)]
    scores = [_score(n) for n in range(RECORDS)]
    events = [_event(n) for n in range(RECORDS)]
    return [
        Case("legal_eval_v1", "legal.jsonl", _lines(legal), legal),
        Case("agentv", "cases.jsonl", _lines(cases), cases, {"cases.yaml": b"name: bench\n"}),
        Case("scenarios", "scenarios.jsonl", _lines(scenarios), scenarios),
        Case("pairs", "pairs.csv", _csv(pairs), pairs),
        Case("pairs", "pairs.jsonl", _lines(pairs), pairs),
        Case("annotations", "labels.csv", _csv(labels), labels),
        Case("scores", "scores.csv", _csv(scores), scores),
        Case("trace", "trace.jsonl", _lines(events), events, records=RECORDS // 20),
    ]


def _lines(found: list[Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in found)


def _csv(found: list[dict[str, Any]]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(found[0]))
    writer.writeheader()
    for row in found:
        cells = {
            name: json.dumps(cell) if isinstance(cell, list) else cell for name, cell in row.items()
        }
        writer.writerow(cells)
    return out.getvalue().encode()


def _text(number: int, times: int = 6) -> str:
    return f"{number}: " + WORDS * times


def _legal(number: int) -> dict[str, Any]:
    row = {
        "schema_version": "legal_eval_v1",
        "id": f"bench:{number}",
        "dataset": "bench",
        "prompt": _text(number),
        "metadata": {"topic": f"t{number % 9}"},
    }
    if number % 3 == 0:
        choices = [{"id": each, "text": f"Answer {each}"} for each in "ABCD"]
        return {**row, "task_type": "mcq", "choices": choices, "correct_choice_ids": ["B"]}
    if number % 3 == 1:
        return {**row, "task_type": "reference_qa", "reference_answers": [_text(number, 3)]}
    rubric = [{"id": f"c{n}", "title": f"Says {n}", "weight": n - 2} for n in range(6)]
    return {**row, "task_type": "rubric_qa", "rubric": rubric}


def _case(number: int) -> dict[str, Any]:
    return {
        "id": f"case-{number}",
        "criteria": "Names the depot",
        "input": [{"role": "user", "content": _text(number)}],
        "expected_output": "The depot",
        "assert": [{"type": "contains", "value": "depot"}],
    }


def _scenario(number: int) -> dict[str, Any]:
    return {
        "scenario_id": f"scenario-{number}",
        "labels": ["bench", f"l{number % 7}"],
        "user_inputs": [_text(number, 3), "And then?"],
        "expected_outcomes": {"latest_status": "success", "required_output_substrings": ["depot"]},
        "risk_class": "low",
        "grading_rules": [{"type": "status_equals", "expected": "success", "blocking": True}],
    }


def _pair(number: int) -> dict[str, Any]:
    return {
        "id": f"pair-{number}",
        "query": _text(number, 1),
        "response": _text(number, 3),
        "context": [_text(number + n, 3) for n in range(3)],
        "source": f"system-{number % 3}",
    }


def _label(number: int) -> dict[str, Any]:
    return {
        "id": f"pair-{number // 3}",
        "task_type": ("retrieval", "grounding", "relevance")[number % 3],
        "label": "true" if number % 2 else "false",
        "annotator_id": "dora",
        "annotated_at": "2026-05-04T10:00:00+00:00",
    }


def _score(number: int) -> dict[str, Any]:
    return {
        "id": f"pair-{number // 2}",
        "metric_family": ("grounding", "relevance")[number % 2],
        "score": f"{number % 100 / 100:.2f}",
        "method": "model_based",
    }


def _event(number: int) -> dict[str, Any]:
    step = number % 20
    kinds = {0: "run_start", 19: "run_complete"}
    return {
        "schema_version": "1.0",
        "event_type": kinds.get(step, "tool_execution"),
        "trace_id": f"trace-{number // 20:05d}",
        "payload": {"session_id": "s", "tool": "lookup", "note": _text(number, 1)},
        "redacted_fields": [],
    }
