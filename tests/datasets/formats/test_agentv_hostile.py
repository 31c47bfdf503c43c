"""agentv: hostile files get their answer in time."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from apps.datasets.contracts import AcceptedRecord, Rejected
from apps.datasets.uploading.bundles import Files
from tests.bounds import bounded
from tests.datasets.agentv import lines, opened

"""Of the processor. Several times what is needed: a hang takes far longer."""

ROW = {"id": "a", "criteria": "g", "input": "x"}
FIFTH = {"id": "a", "vars": {"input": "x"}, "criteria": "g"}
BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (98 + n, 98 + n, b",".join([b"*%c" % (97 + n)] * 9)) for n in range(15)
)


def line(field: bytes, value: bytes) -> bytes:
    return b'{"id": "a", "criteria": "g", "input": "x", "%s": %s}' % (field, value)


def attached(*names: str) -> dict[str, Any]:
    parts = [{"type": "file", "value": name} for name in names]
    return {**ROW, "input": [{"role": "user", "content": parts}]}


def listed(form: bytes, count: int) -> bytes:
    return b",".join(form % n for n in range(count))


Made = tuple[str, bytes, Files]
HOSTILE: dict[str, tuple[str, Callable[[], Made]]] = {
    "100,000 levels": (
        "Nested too deep",
        lambda: ("d.jsonl", line(b"note", b"[" * 100_000 + b"]" * 100_000), {}),
    ),
    "900 levels": (
        "nested too deep",
        lambda: ("d.jsonl", line(b"note", b"[" * 900 + b"]" * 900), {}),
    ),
    "300 levels": (
        "cannot be kept",
        lambda: ("d.jsonl", line(b"note", b'{"a":' * 300 + b"1" + b"}" * 300), {}),
    ),
    "levels in a text": (
        "1 accepted",
        lambda: ("d.jsonl", lines({**ROW, "input": '[{"role":' + "[" * 100_000}), {}),
    ),
    "levels in YAML": ("Nested too deep", lambda: ("d.yaml", b"tests: " + b"[" * 100_000, {})),
    "an alias bomb": ("Aliases repeat too much", lambda: ("d.yaml", BOMB, {})),
    "an alias bomb in a sidecar": (
        "Aliases repeat too much",
        lambda: ("d.jsonl", lines(ROW), {"d.yaml": BOMB}),
    ),
    "NaN": ("NaN is not a JSON number", lambda: ("d.jsonl", line(b"note", b"NaN"), {})),
    "a number without end": (
        "cannot be kept",
        lambda: ("d.jsonl", line(b"note", b"1e999"), {}),
    ),
    "repeated keys": ('The key "id" is repeated', lambda: ("d.jsonl", line(b"id", b'"b"'), {})),
    "a lone surrogate": ("cannot be kept", lambda: ("d.jsonl", line(b"note", rb'"\ud800"'), {})),
    "a lone surrogate in a suite": (
        "cannot be kept",
        lambda: ("evals.json", rb'{"name": "\ud800", "evals": [{"id": 1, "prompt": "x"}]}', {}),
    ),
    "a null character": ("1 accepted", lambda: ("d.jsonl", line(b"note", rb'"\u0000"'), {})),
    "UTF-16": ("must be UTF-8", lambda: ("d.jsonl", "{}".encode("utf-16"), {})),
    "cut off": ("Invalid JSON", lambda: ("d.jsonl", lines(ROW)[:-5], {})),
    "60,000 cases": ("more than 50,000", lambda: ("d.jsonl", lines(ROW) * 60_000, {})),
    "60,000 cases in YAML": (
        "more than 50,000",
        lambda: ("d.yaml", b"tests:\n" + b"- {id: a, criteria: g, input: x}\n" * 60_000, {}),
    ),
    "500,000 nodes": (
        "more than 500,000 values",
        lambda: ("d.yaml", b"tests: [" + b"a," * 600_000 + b"]", {}),
    ),
    "30 MB of YAML": (
        "longer than 20,971,520",
        lambda: ("d.yaml", b"tests:\n- " + b"x" * 30_000_000, {}),
    ),
    "30 MB of JSON": (
        "longer than 10,485,760",
        lambda: ("evals.json", b'{"evals": [' + b"{}," * 10_000_000 + b"{}]}", {}),
    ),
    "a giant cell": (
        "longer than",
        lambda: ("d.csv", b'input,criteria\n"' + b"x" * 30_000_000 + b'",g\n', {}),
    ),
    "a cell without end": (
        "cannot be read as CSV",
        lambda: ("d.csv", b'input,criteria\n"' + b"x\n" * 5_000_000, {}),
    ),
    "a large file in every case": (
        "larger than 200 MB",
        lambda: ("d.jsonl", lines(attached("f.txt")) * 50_000, {"f.txt": b"x" * 400_000}),
    ),
    "a file too large in every case": (
        "larger than 200 MB",
        lambda: ("d.jsonl", lines(attached("f.txt")) * 50_000, {"f.txt": b"x" * 1_000_000}),
    ),
    "20,000 files in a case": (
        "more than 200 times",
        lambda: ("d.jsonl", lines(attached(*(f"{n}.txt" for n in range(20_000)))) * 5, {}),
    ),
    "a large execution for every case": (
        "larger than 200 MB",
        lambda: (
            "d.jsonl",
            lines(ROW) * 50_000,
            {"d.yaml": b"execution: {x: %s}" % (b"y" * 200_000)},
        ),
    ),
    "many graders for every case": (
        "larger than 200 MB",
        lambda: (
            "d.jsonl",
            lines(ROW) * 50_000,
            {"d.yaml": b"assertions: [%s]" % listed(b"{type: contains, value: v%d}", 200)},
        ),
    ),
    "many prompts": (
        "more than 50,000",
        lambda: (
            "d.jsonl",
            lines(FIFTH) * 50_000,
            {"d.yaml": b"prompts: [%s]" % listed(b"'%d {{input}}'", 30)},
        ),
    ),
    "a prompt that repeats a long variable": (
        "larger than 200 MB",
        lambda: (
            "d.jsonl",
            lines({**FIFTH, "vars": {"input": "x" * 20_000}}) * 900,
            {"d.yaml": b"prompts: ['%s']" % (b"{{input}}" * 20_000)},
        ),
    ),
    "templates that do not end": (
        "40 accepted",
        lambda: (
            "d.jsonl",
            lines(FIFTH) * 20,
            {"d.yaml": b"prompts: ['%s', '%s']" % (b"{{ " * 40_000, b"{{" + b"a" * 100_000)},
        ),
    ),
    "variables that do not end": (
        "larger than a record|at most",
        lambda: ("d.jsonl", lines({**ROW, "input": "${{ " * 100_000 + "${{" + " " * 500_000}), {}),
    ),
    "files with cases without end": (
        "more than 200 files",
        lambda: ("d.yaml", b"tests: [%s]" % listed(b"a%d*.jsonl", 20_000), {}),
    ),
    "patterns that backtrack": (
        "1 accepted",
        lambda: (
            "d.jsonl",
            lines(attached("a" * 200 + ".txt")),
            {
                "d.yaml": b"guideline_patterns: [%s]" % (b"'" + b"*a" * 90 + b"b'," * 1),
                "a" * 200 + ".txt": b"x",
            },
        ),
    ),
    "misses without end": (
        "5 accepted",
        lambda: (
            "index.jsonl",
            lines({"test_id": "a", "score": 1, "misses": ["m"] * 150_000}) * 5,
            {},
        ),
    ),
    "a score that is no number": (
        "cannot be kept",
        lambda: (
            "index.jsonl",
            b'{"test_id": "a", "score": 1, "scores": [{"name": "x", "score": 1e999}]}',
            {},
        ),
    ),
    "only line ends": ("has no cases", lambda: ("d.jsonl", b"\n" * 20_000_000, {})),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_gets_an_answer_and_explodes_nowhere(name: str) -> None:
    expected, make = HOSTILE[name]
    file, raw, files = make()

    with bounded():
        answer = answered(file, raw, files)

    assert any(each in answer for each in expected.split("|"))


def answered(file: str, raw: bytes, files: Files) -> str:
    """The refusal, or how many records there are and what was told of the first bad one."""
    accepted, told = 0, ""
    try:
        for one in opened(raw, file, files):
            if isinstance(one, AcceptedRecord):
                accepted += 1
                json.loads(one.payload)
            else:
                told = told or one.issues[0].message
    except Rejected as rejected:
        return rejected.message
    return f"{accepted} accepted. {told}"
