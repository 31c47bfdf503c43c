"""Scenarios and traces: hostile files get their answer within bounds of time and memory."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from apps.datasets.contracts import AcceptedRecord, Rejected
from apps.datasets.uploading.bundles import Bundle
from tests.datasets.scenario_files import SCENARIOS, TRACE

SIZE = 99_000_000
MOST_MB = 512
MOST_CPU_SECONDS = 60
EVENT = b'{"event_type": "span", "trace_id": "%b", "payload": {"note": "%b"}}\n'
SCENARIO = (
    b'{"scenario_id": "%d", "labels": ["a"], "user_inputs": ["%b"], '
    b'"expected_outcomes": {}, "risk_class": "low"}\n'
)
LEVELS = b"[" * 100_000 + b"]" * 100_000

Case = tuple[Any, str, str, Callable[[], bytes]]

HOSTILE: dict[str, Case] = {
    "100,000 levels in a scenario": (
        SCENARIOS,
        "s.jsonl",
        "0 accepted, 1 rejected",
        lambda: b'{"scenario_id": "a", "x": ' + LEVELS + b"}\n",
    ),
    "100,000 levels of an array": (SCENARIOS, "s.json", "nested too deep", lambda: LEVELS),
    "100,000 levels in the head of an export": (
        SCENARIOS,
        "s.json",
        "nested too deep",
        lambda: b'{"dataset_name": ' + LEVELS + b', "sessions": []}',
    ),
    "100,000 levels of YAML": (SCENARIOS, "s.yaml", "YAML", lambda: b"[" * 100_000),
    "a bomb of aliases": (
        SCENARIOS,
        "s.yaml",
        "Invalid YAML",
        lambda: (
            b"a: &a [x,x,x,x,x,x,x,x,x]\n"
            + b"".join(
                b"%c: &%c [%s]\n" % (n, n, b",".join([b"*%c" % (n - 1)] * 9))
                for n in range(98, 110)
            )
        ),
    ),
    "33 million empty sessions": (
        SCENARIOS,
        "s.json",
        "at most 50,000",
        lambda: b'{"session_count": 1, "sessions": [' + b"{}," * 33_000_000 + b"{}]}",
    ),
    "a session of 99 MB": (
        SCENARIOS,
        "s.json",
        "0 accepted, 1 rejected",
        lambda: b'{"sessions": [{"runs": "' + b"x" * SIZE + b'"}]}',
    ),
    "a head of 99 MB": (
        SCENARIOS,
        "s.json",
        "far too large",
        lambda: b'{"dataset_name": "' + b"x" * SIZE + b'", "sessions": []}',
    ),
    "49,000 scenarios": (
        SCENARIOS,
        "s.jsonl",
        "49000 accepted, 0 rejected",
        lambda: b"".join(SCENARIO % (n, b"x" * 1_800) for n in range(49_000)),
    ),
    "one trace of 99 MB": (
        TRACE,
        "t.jsonl",
        "1 accepted, 0 rejected",
        lambda: EVENT % (b"t", b"x" * 900) * (SIZE // 980),
    ),
    "250,000 events of one trace": (
        TRACE,
        "t.jsonl",
        "1 accepted, 0 rejected",
        lambda: EVENT % (b"t", b"") * 250_000,
    ),
    "too many events": (
        TRACE,
        "t.jsonl",
        "more than 250,000",
        lambda: EVENT % (b"t", b"") * 999_999,
    ),
    "too many traces": (TRACE, "t.jsonl", "more than 50,000", lambda: b"1\n" * 1_500_000),
    "50,000 traces": (
        TRACE,
        "t.jsonl",
        "50000 accepted, 0 rejected",
        lambda: b"".join(EVENT % (b"%d" % n, b"x" * 1_800) for n in range(50_000)),
    ),
    "wrong events without end of one trace": (
        TRACE,
        "t.jsonl",
        "more than 250,000",
        lambda: b'{"event_type": 5, "trace_id": "t", "payload": 5}\n' * 999_999,
    ),
    "null bytes": (TRACE, "t.jsonl", "must be UTF-8", lambda: b"\x00" * SIZE),
    "UTF-16": (
        TRACE,
        "t.jsonl",
        "must be UTF-8",
        lambda: (EVENT % (b"t", b"x")).decode().encode("utf-16"),
    ),
}

MEASURE = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({cpu}, {cpu}))
from tests.datasets.formats.test_contract_v1_hostile import peak_megabytes
from tests.datasets.formats.test_scenarios_hostile import answer_to
print(answer_to(sys.argv[1]))
print(peak_megabytes())
"""


def answer_to(name: str) -> str:
    dialect, file, _, content = HOSTILE[name]
    accepted = rejected = 0
    try:
        for record in dialect.read(Bundle(file, content())):
            accepted += isinstance(record, AcceptedRecord)
            rejected += not isinstance(record, AcceptedRecord)
    except Rejected as refused:
        return refused.message
    return f"{accepted} accepted, {rejected} rejected"


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured through /proc")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_answered_within_bounds(name: str) -> None:
    checkout = Path(__file__).parents[3]
    expected = HOSTILE[name][2]

    ended = subprocess.run(
        [sys.executable, "-c", MEASURE.format(cpu=MOST_CPU_SECONDS), name],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr[-2_000:]
    answer, megabytes = ended.stdout.splitlines()
    assert expected in answer
    assert int(megabytes) < MOST_MB
