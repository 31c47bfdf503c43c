"""Dataset Contract v1: hostile documents get their answer within bounds of memory."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from apps.datasets.contracts import AcceptedRecord, Rejected
from tests.datasets.contract_v1 import opened

SIZE = 99_000_000
OPEN = b'{"dataset_id": "d", "dataset_version": "1", "schema_version": "1.0", "records": ['
MOST_MB = 512
MOST_CPU_SECONDS = 60
"""Far above what is needed: an answer that takes this long grows with more than the size."""

# Each is run as `HOSTILE[name]()` in a process of its own, so that its memory can be measured.
HOSTILE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "100,000 levels": (
        "nested too deep",
        lambda: OPEN + b"[" * 100_000 + b"]" * 100_000 + b"]}",
    ),
    "100,000 levels in a reference": (
        "nested too deep",
        lambda: _in_a_record(b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    ),
    "50 million levels": ("nested too deep", lambda: OPEN + b"[" * 50_000_000),
    "50 million levels of objects": ("nested too deep", lambda: OPEN + b'{"a":' * 10_000_000),
    "33 million empty records": ("at most 50,000", lambda: OPEN + b"{}," * 33_000_000 + b"{}]}"),
    "33 million empty records before a field": (
        "at most 50,000",
        lambda: OPEN + b"{}," * 33_000_000 + b'{}], "metadata": {}}',
    ),
    "33 million empty objects in a record": (
        "far too large",
        lambda: _in_a_record(b"[" + b"{}," * 33_000_000 + b"{}]"),
    ),
    "200 unknown keys in each of 50,000 records": (
        "0 accepted, 50000 rejected, 10000000 issues",
        lambda: _unknown_keys(records=50_000, keys=200),
    ),
    "unknown criteria without end": (
        "0 accepted, 40 rejected, 3320000 issues",
        lambda: _criteria(records=40, criteria=83_000),
    ),
    "one giant text": (
        "0 accepted, 1 rejected, 1 issues",
        lambda: _in_a_record(b'{"answer": "' + b"x" * SIZE + b'"}'),
    ),
    "one giant text of emoji": (
        "0 accepted, 1 rejected, 1 issues",
        lambda: _in_a_record(b'{"answer": "' + "😀".encode() * (SIZE // 4) + b'"}'),
    ),
    "one giant text of escapes": (
        "0 accepted, 1 rejected, 1 issues",
        lambda: _in_a_record(b'{"answer": "' + rb"\u00e9" * (SIZE // 6) + b'"}'),
    ),
    "everything escaped": (
        "49000 accepted, 0 rejected, 0 issues",
        lambda: _records(49_000, rb"\u00e9\ud83d\ude00" * 100),
    ),
    "a number of 99 MB": (
        "0 accepted, 1 rejected, 1 issues",
        lambda: OPEN + b"9" * SIZE + b"]}",
    ),
    "a fraction of 99 MB": (
        "0 accepted, 1 rejected, 1 issues",
        lambda: OPEN + b"0." + b"1" * SIZE + b"]}",
    ),
    "a number of 99 MB in the header": (
        "dataset_id is far too large",
        lambda: b'{"dataset_id": ' + b"9" * SIZE + b"}",
    ),
    "a key of 99 MB": ("is not a field", lambda: b'{"' + b"k" * SIZE + b'": 1}'),
    "truncated": ("ends too early", lambda: _records(49_000, b"x" * 1_900)[:-1_000]),
    "UTF-16": ("must be UTF-8", lambda: _records(20_000, b"x" * 1_900).decode().encode("utf-16")),
    "UTF-32": ("must be UTF-8", lambda: _records(10_000, b"x" * 1_900).decode().encode("utf-32")),
    "null bytes": ("must be UTF-8", lambda: b"\x00" * SIZE),
    "white space": ("The file is empty", lambda: b" " * SIZE),
    "line feeds in the records": ("at least 1 item", lambda: OPEN + b"\n" * SIZE + b"]}"),
    "first keys that never repeat": (
        "0 accepted, 49000 rejected, 49000 issues",
        lambda: (
            OPEN
            + b",".join(
                b'{"k%d": 1, "record_id": "%d", "input": {"prompt": "%s"}}' % (n, n, b"x" * 1_900)
                for n in range(49_000)
            )
            + b"]}"
        ),
    ),
}


def _in_a_record(reference: bytes) -> bytes:
    start = OPEN + b'{"record_id": "q1", "input": {"prompt": "Why?"}, "reference": '
    return start + reference + b"}]}"


def _records(count: int, prompt: bytes) -> bytes:
    record = b'{"record_id": "%d", "input": {"prompt": "%b"}}'
    return OPEN + b",".join(record % (n, prompt) for n in range(count)) + b"]}"


def _unknown_keys(records: int, keys: int) -> bytes:
    crowd = b",".join(b'"%x":1' % key for key in range(keys))
    record = b'{"record_id":"a","input":{"prompt":"b"},' + crowd + b"}"
    return OPEN + b",".join([record] * records) + b"]}"


def _criteria(records: int, criteria: int) -> bytes:
    crowd = b",".join([b'""'] * criteria)
    record = b'{"record_id":"a","input":{"prompt":"b"},"expected":{"required_criteria":[%b]}}'
    return OPEN + b",".join([record % crowd] * records) + b"]}"


MEASURE = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({cpu}, {cpu}))
from tests.datasets.formats.test_contract_v1_hostile import HOSTILE, answer_to, peak_megabytes
print(answer_to(HOSTILE[sys.argv[1]][1]()))
print(peak_megabytes())
"""


def answer_to(raw: bytes) -> str:
    accepted = rejected = issues = 0
    try:
        for one in opened(raw):
            if isinstance(one, AcceptedRecord):
                accepted += 1
            else:
                rejected += 1
                issues += one.issue_count
    except Rejected as refused:
        return refused.message
    return f"{accepted} accepted, {rejected} rejected, {issues} issues"


def peak_megabytes() -> int:
    """Of this process alone: what getrusage says starts with the memory of the parent."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured through /proc")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_document_is_answered_within_bounds(name: str) -> None:
    checkout = Path(__file__).parents[3]
    expected, _ = HOSTILE[name]

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
