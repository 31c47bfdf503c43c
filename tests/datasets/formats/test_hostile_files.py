"""Hostile files of every format end with an answer, within bounds of memory."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from apps.datasets.contracts import Options, Rejected
from apps.datasets.formats import FORMATS
from apps.datasets.uploading.reading import read_file

SIZE = 99_000_000
MOST_MB = 512
MOST_CPU_SECONDS = 60
"""Far above what is needed: an answer that takes this long grows with more than the size."""

HOSTILE: dict[str, Callable[[], bytes]] = {
    "100,000 levels": lambda: b'{"id": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
    "one line of 99 MB": lambda: b'{"id": "' + b"x" * SIZE + b'"}',
    "levels in a flow of YAML": lambda: b"tests: " + b"[" * 100_000,
    "aliases of aliases": lambda: _aliases(),
    "99 MB of line feeds": lambda: b"\n" * SIZE,
    "33 million lines": lambda: b"{}\n" * 33_000_000,
    "50,000 empty objects": lambda: b"{}\n" * 50_000,
    "null bytes": lambda: b"\0" * SIZE,
    "quotes without end": lambda: b'id,query,response\n1,"' + b"x\n" * 40_000_000,
    "quotes": lambda: b'"' * SIZE,
    "commas": lambda: b"id,query,response\n" + b"," * SIZE,
    "100,000 columns": lambda: b",".join(b"c%d" % n for n in range(100_000)) + b"\n1,2",
    "one array of 99 MB": lambda: b"[" + b"{}," * 33_000_000 + b"{}]",
    "a number of 1 MB": lambda: b'{"id": ' + b"9" * 1_000_000 + b"}\n",
}

MEASURE = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({cpu}, {cpu}))
from tests.datasets.formats.test_hostile_files import answer_to, peak_megabytes
print(answer_to(*sys.argv[1:]))
print(peak_megabytes())
"""


def _aliases() -> bytes:
    lines = ['a0: &a0 ["x","x","x","x","x","x","x","x","x"]']
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    return "\n".join([*lines, "tests: *a11", ""]).encode()


def answer_to(path: str, format_id: str) -> str:
    file = Path(path)
    try:
        reading = read_file(file, name=file.name, options=Options(format=format_id))
        reading.refuse_if_unfit(valid_only=True)
    except Rejected as refused:
        return " ".join(refused.message.split())
    return f"{len(reading.records)} accepted, {len(reading.rejected)} rejected"


def peak_megabytes() -> int:
    """Of this process alone: what getrusage says starts with the memory of the parent."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured through /proc")
@pytest.mark.parametrize("format_id", FORMATS)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_answered_within_bounds(
    name: str, format_id: str, tmp_path: Path
) -> None:
    checkout = Path(__file__).parents[3]
    endings = FORMATS[format_id].endings
    file = tmp_path / f"hostile{'.yaml' if '.yaml' in endings and 'YAML' in name else endings[0]}"
    file.write_bytes(HOSTILE[name]())

    ended = subprocess.run(
        [sys.executable, "-c", MEASURE.format(cpu=MOST_CPU_SECONDS), str(file), format_id],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=False,
    )
    file.unlink()

    assert ended.returncode == 0, ended.stderr[-2_000:]
    answer, megabytes = ended.stdout.splitlines()
    assert answer
    assert int(megabytes) < MOST_MB
