"""agentv: real suites, cases and results that nobody here wrote, where they are at hand."""

import json
import os
import random
from contextlib import suppress
from pathlib import Path

import pytest

from apps.datasets.contracts import AcceptedRecord, Rejected, RejectedRecord
from apps.datasets.formats import detect
from apps.datasets.formats.agentv import result_scores, sidecar
from apps.datasets.prompting import answer_of
from apps.datasets.uploading.bundles import Bundle, Folder
from tests.datasets.agentv import FORMAT

CHECKOUT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
REAL = SHARED / "data" / "agentv"
OLD = "v2026-01-20/features"
NEW = "v2026-07-08/features"

pytestmark = pytest.mark.skipif(
    not REAL.is_dir(), reason="no agentv files here: set EVALHUB_SHARED to the shared folder"
)

SUITES = {
    f"{OLD}/basic-jsonl/evals/dataset.jsonl": ("to 2.5", "basic-jsonl", 4),
    f"{OLD}/basic/evals/dataset.yaml": ("to 2.5", "dataset", 4),
    f"{OLD}/batch-cli/evals/dataset.yaml": ("to 2.5", "dataset", 4),
    f"{OLD}/execution-metrics/evals/dataset.yaml": ("to 2.5", "dataset", 4),
    f"{OLD}/rubric/evals/dataset.yaml": ("to 2.5", "dataset", 4),
    f"{OLD}/weighted-evaluators/evals/dataset.yaml": ("to 2.5", "weighted-evaluators-examples", 3),
    f"{NEW}/basic-jsonl/evals/cases.jsonl": ("5.x", "cases", 7),
    f"{NEW}/basic-jsonl/evals/suite.yaml": ("5.x", "basic-jsonl", 7),
    f"{NEW}/external-datasets/evals/suite.yaml": ("5.x", "external-datasets-demo", 5),
    f"{NEW}/external-datasets/evals/cases/accuracy.yaml": ("5.x", "accuracy", 2),
    f"{NEW}/external-datasets/evals/cases/regression.jsonl": ("5.x", "regression", 2),
    f"{NEW}/rubric/evals/suite.yaml": ("5.x", "rubric", 5),
    f"{NEW}/rubric/evals/operators.eval.yaml": ("5.x", "rubric-operators", 1),
}
RESULTS = {
    f"{OLD}/basic/evals/dataset.baseline.jsonl": ("to 2.5", 4, 4),
    f"{OLD}/batch-cli/evals/dataset.baseline.jsonl": ("to 2.5", 4, 4),
    f"{OLD}/compare/evals/baseline-results.jsonl": ("to 2.5", 5, 0),
    f"{OLD}/compare/evals/candidate-results.jsonl": ("to 2.5", 5, 0),
    f"{OLD}/execution-metrics/evals/dataset.baseline.jsonl": ("to 2.5", 4, 4),
    f"{OLD}/rubric/evals/dataset.baseline.jsonl": ("to 2.5", 4, 4),
    f"{OLD}/weighted-evaluators/evals/dataset.baseline.jsonl": ("to 2.5", 3, 3),
    f"{NEW}/basic-jsonl/evals/suite.baseline.jsonl": ("2.7 to 4.x", 7, 0),
    f"{NEW}/external-datasets/evals/suite.baseline.jsonl": ("2.7 to 4.x", 5, 0),
    f"{NEW}/rubric/evals/suite.baseline.jsonl": ("2.7 to 4.x", 5, 0),
}
ALL = [*SUITES, *RESULTS]
MUTATIONS = 40


def bundle(path: str, raw: bytes | None = None) -> Bundle:
    return Bundle(path, (REAL / path).read_bytes() if raw is None else raw, Folder(REAL))


def accepted(found: Bundle) -> list[AcceptedRecord]:
    records = list(FORMAT.read(found))
    assert not [one for one in records if isinstance(one, RejectedRecord)]
    return [one for one in records if isinstance(one, AcceptedRecord)]


@pytest.mark.parametrize("path", ALL)
def test_every_real_file_is_recognised(path: str) -> None:
    found = detect(path, (REAL / path).read_bytes()[:65_536])

    assert found is FORMAT


@pytest.mark.parametrize("path", SUITES)
def test_every_real_suite_is_read_whole(path: str) -> None:
    era, name, count = SUITES[path]

    records = accepted(bundle(path))
    payloads = [json.loads(one.payload) for one in records]

    assert len(records) == count
    assert {one["resolved"]["era"] for one in payloads} == {era}
    assert {one["resolved"]["suite"]["name"] for one in payloads} == {name}


@pytest.mark.parametrize("path", RESULTS)
def test_every_real_result_is_read_with_its_scores_and_answer(path: str) -> None:
    era, count, answered = RESULTS[path]

    records = accepted(bundle(path))
    payloads = [json.loads(one.payload) for one in records]

    assert len(records) == count
    assert {one["resolved"]["era"] for one in payloads} == {era}
    assert all(result_scores(one)[0].value == one["row"]["score"] for one in payloads)
    assert sum(answer_of(one) is not None for one in payloads) == answered


def test_real_instructions_are_found_and_stand_first() -> None:
    record = accepted(bundle(f"{OLD}/basic-jsonl/evals/dataset.jsonl"))[0]
    found = json.loads(record.payload)["resolved"]

    assert [each["path"] for each in found["files"] if each["instruction"]] == [
        f"{OLD}/basic/evals/javascript.instructions.md"
    ]
    assert "SUPERSECRET_INSTRUCTION_MARKER_JAVASCRIPT" in found["messages"][0]["content"]


def test_real_cases_of_a_file_that_is_not_there_are_told_of() -> None:
    document = FORMAT.read(bundle(f"{NEW}/external-datasets/evals/suite.yaml"))

    list(document)

    assert (
        "File not found: file://cases/magic.csv. Its cases are not in this dataset."
        in document.warnings
    )


@pytest.mark.parametrize("path", ALL)
def test_real_records_are_the_same_after_writing_and_reading_again(path: str) -> None:
    before = accepted(bundle(path))
    header = FORMAT.read(bundle(path)).header

    folder = path.rsplit("/", 1)[0]
    written = b"".join(FORMAT.write(header, [one.payload for one in before]))
    files = {name: Folder(REAL)[name] for name in _used(before)}
    files[f"{folder}/again.yaml"] = sidecar(header).encode()
    after = accepted(Bundle(f"{folder}/again.jsonl", written, files))

    assert [(one.record_id, one.sha256) for one in after] == [
        (one.record_id, one.sha256) for one in before
    ]


def _used(records: list[AcceptedRecord]) -> set[str]:
    resolved = (json.loads(one.payload)["resolved"] for one in records)
    return {each["path"] for found in resolved for each in found.get("files", ())}


@pytest.mark.parametrize("path", ALL)
def test_a_damaged_real_file_is_read_or_refused_and_nothing_else(path: str) -> None:
    raw = (REAL / path).read_bytes()
    chance = random.Random(path)

    for _ in range(MUTATIONS):
        with suppress(Rejected):
            list(FORMAT.read(bundle(path, _damaged(raw, chance))))


def _damaged(raw: bytes, chance: random.Random) -> bytes:
    found = bytearray(raw)
    for _ in range(chance.randint(1, 6)):
        start = chance.randrange(len(found))
        end = min(len(found), start + chance.randint(0, 40))
        new = chance.choice(
            [b"", b"\x00", b"\xff", b"{", b"]", b'"', b"\n", b": ", b"- ", b"&a ", b"*a", b"null"]
        )
        found[start:end] = chance.choice([new, bytes(found[start:end]) * 2])
        if not found:
            return b"\n"
    return bytes(found)
