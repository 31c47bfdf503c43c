"""Reading a dataset of 50,000 records / 100 MB with every check and hash, against orjson alone."""

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import orjson

from apps.datasets.contracts import AcceptedRecord
from apps.datasets.formats import FORMATS
from apps.datasets.uploading.bundles import Bundle
from benchmarks.own_process import Row

RECORDS = 50_000
MEGABYTES = 100
ROUNDS = 5
VOCABULARY = """
the a of and to in was were has had with for on at by from it which that this each every depot
warehouse crate pallet invoice shipment courier ledger quarter supplier audit route driver manifest
harbour carrier contract tariff customs delay refund order batch label shelf morning evening Monday
northern southern coastal café Zürich naïve 東京 “quoted” – 5 €
"""


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "questions.json"
        size = write_document(path)
        plain = [_measured("parse", path) for _ in range(ROUNDS)]
        ours = [_measured("read", path) for _ in range(ROUNDS)]
    alone = statistics.median(seconds for seconds, _ in plain)
    checked = statistics.median(seconds for seconds, _ in ours)
    what = f"{RECORDS:,} records, {size / 1e6:.0f} MB"
    return [
        (f"orjson.loads alone: {what}", f"{alone:.2f} s", "the measure"),
        (f"read with every check and hash: {what}", f"{checked:.2f} s", ""),
        ("the same, in multiples of orjson.loads", f"{checked / alone:.1f}", "3"),
        ("memory of orjson.loads at its peak", f"{max(mb for _, mb in plain):.0f} MB", ""),
        ("memory of our reading at its peak", f"{max(mb for _, mb in ours):.0f} MB", "300 MB"),
    ]


def write_document(path: Path) -> int:
    """The same bytes every time; how many there are."""
    with path.open("wb") as file:
        file.write(
            b'{"dataset_id": "bench", "dataset_version": "1", "schema_version": "1.0",\n'
            b' "metadata": {"task_type": "qa"},\n "records": [\n'
        )
        file.write(b",\n".join(_records()))
        file.write(b"\n]}\n")
        return file.tell()


def _records() -> Iterator[bytes]:
    chance = random.Random(7)
    words = VOCABULARY.split()
    usual = MEGABYTES * 1_000_000 // RECORDS // 7
    for number in range(RECORDS):
        length = max(8, int(chance.lognormvariate(0, 0.5) * usual * 0.86))
        text = " ".join(chance.choices(words, k=length))
        record = {
            "record_id": f"q{number:06d}",
            "input": {"prompt": f"Context: {text}.\nWhat is {number} plus {length}?"},
            "reference": {"answer": str(number + length)},
            "tags": [f"topic:{number % 7}", f"difficulty:{number % 3}"],
            "expected": {"max_latency_ms": 2_000, "required_criteria": ["accuracy"]},
            "metadata": {"seq": number, "author": f"user{number % 40}"},
        }
        yield json.dumps(record, ensure_ascii=False).encode()


def _measured(job: str, path: Path) -> tuple[float, float]:
    """Seconds and peak MB of one job in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.reading", job, str(path)]
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, megabytes = ended.stdout.split()
    return float(seconds), float(megabytes)


def _parse(raw: bytes) -> None:
    if len(orjson.loads(raw)["records"]) != RECORDS:
        raise SystemExit("orjson lost records")


def _read(raw: bytes) -> None:
    found = FORMATS["contract_v1"].read(Bundle("questions.json", raw))
    if sum(isinstance(one, AcceptedRecord) for one in found) != RECORDS:
        raise SystemExit("our reader lost records")


def _run(job: str, path: str) -> None:
    raw = Path(path).read_bytes()
    started = time.perf_counter()
    {"parse": _parse, "read": _read}[job](raw)
    seconds = time.perf_counter() - started
    print(seconds, _peak_megabytes())


def _peak_megabytes() -> float:
    """Of this process alone: what getrusage says starts with the memory of the parent."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _print_table() -> None:
    for what, measured, aim in rows():
        print(f"{what:60} {measured:>10} {aim:>12}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        _run(sys.argv[1], sys.argv[2])
    else:
        _print_table()
