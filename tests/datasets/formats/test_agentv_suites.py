"""agentv suites: YAML of every era, cases in other files, prompts with variables, CSV."""

import json
from typing import Any

import pytest

from apps.datasets.contracts import Rejected
from tests.datasets.agentv import (
    accepted,
    issues,
    lines,
    opened,
    rejected,
    resolved,
    told,
    warnings,
)

CASES = b"""\
name: support
execution:
  target: base
LIST:
  - id: a
    criteria: Is kind.
    input: Hello?

  - id: b
    criteria: Is short.
    input: Bye?
"""
V5 = b"""\
name: support
providers: [llm]
prompts: PROMPTS
tests:
  - id: a
    vars: {input: "Hello?", user: {name: Alice}, chat: [{role: system, content: S}]}
    assert: [Is kind.]
"""


def prompted(prompts: Any, **more: Any) -> dict[str, Any]:
    raw = V5.replace(b"PROMPTS", json.dumps(prompts).encode())
    return resolved(raw, "suite.yaml", **more)


@pytest.mark.parametrize("name", ["evalcases", "eval_cases", "cases", "tests"])
def test_the_list_of_cases_has_the_name_of_its_era(name: str) -> None:
    found = accepted(CASES.replace(b"LIST", name.encode()), "evals/suite.yaml")

    assert [one.record_id for one in found] == ["a", "b"]
    assert [dict(one.facets)["target"] for one in found] == ["base", "base"]


def test_a_bare_list_of_cases_is_a_suite_without_fields() -> None:
    raw = b"- id: a\n  criteria: g\n  input: x\n"

    document = opened(raw, "cases.yaml")

    assert [one.record_id for one in document] == ["a"]
    assert document.header.dataset_id == "cases"


def test_a_mistake_in_yaml_has_the_line_of_its_case() -> None:
    raw = CASES.replace(b"LIST", b"tests").replace(b"    input: Bye?\n", b"")

    (issue,) = issues(raw, "suite.yaml")

    assert (issue.line, issue.record_id) == (9, "b")
    assert issue.message == "Missing required field: 'input'"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"tests:\n  - id: a\n    id: b\n", "Line 3: Invalid YAML - The key 'id' is repeated"),
        (b"tests: !!python/name:os.system\n", "Line 1: Invalid YAML - Tags are not taken"),
        (b"name: x\n", "The file has no cases"),
        (b"just text\n", "The file has no cases"),
        (b"\n", "The file has no cases"),
        (b"tests: []\nname: " + b"x" * 300_000, "larger than 262,144 bytes"),
        (b"tests: []\nassertions: [" + b"a, " * 201 + b"]", "more than 200 graders"),
        ("tests: [ü]".encode("latin-1"), "must be UTF-8"),
        ("tests: []".encode("utf-16"), "must be UTF-8"),
    ],
)
def test_a_suite_that_cannot_be_read_is_refused(raw: bytes, message: str) -> None:
    with pytest.raises(Rejected) as refused:
        list(opened(raw, "suite.yaml"))

    assert message in refused.value.message


# -- cases in other files -------------------------------------------------------------------

BESIDE = {
    "evals/cases/a.jsonl": lines({"id": "j", "criteria": "g", "input": "x"}) + b"{oops\n",
    "evals/cases/b.yaml": b"- id: y\n  criteria: g\n  input: x\n- 5\n",
    "evals/cases/c.csv": b"id,input,criteria\nc,x,g\n",
    "evals/cases/d.json": b'{"tests": [{"id": "n", "criteria": "g", "input": "x"}]}',
    "other/e.jsonl": lines({"id": "o", "criteria": "g", "input": "x"}),
}


@pytest.mark.parametrize(
    ("reference", "ids"),
    [
        ("./cases/a.jsonl", ["j"]),
        ("[file://cases/b.yaml, cases/c.csv]", ["y", "c"]),
        ("file://cases/*.csv", ["c"]),
        ("[cases/d.json, {id: i, criteria: g, input: x}]", ["n", "i"]),
        ("/other/e.jsonl", ["o"]),
    ],
)
def test_cases_may_stand_in_other_files(reference: str, ids: list[str]) -> None:
    raw = f"name: s\ntests: {reference}\n".encode()

    found = accepted(raw, "evals/suite.yaml", BESIDE)

    assert [one.record_id for one in found] == ids


@pytest.mark.parametrize(
    "reference", ["../../../other/e.jsonl", "cases/*.nothing", "./make.py:cases", "[]"]
)
def test_a_suite_without_any_case_is_refused_with_the_reason(reference: str) -> None:
    with pytest.raises(Rejected, match="The file has no cases") as refused:
        list(opened(f"name: s\ntests: {reference}\n".encode(), "evals/suite.yaml", BESIDE))

    assert reference == "[]" or reference in refused.value.message


@pytest.mark.parametrize(
    ("path", "content"),
    [("x.jsonl", b"\xff"), ("x.csv", b"a,a\n"), ("x.yaml", b"a: 1\na: 2"), ("x.json", b"{")],
)
def test_a_file_of_cases_that_cannot_be_read_is_named(path: str, content: bytes) -> None:
    with pytest.raises(Rejected) as refused:
        list(opened(f"tests: [{path}]\n".encode(), "suite.yaml", {path: content}))

    assert refused.value.message.startswith(f"{path}: ")
    assert refused.value.message.count(path) == 1


def test_a_mistake_in_another_file_is_told_with_that_file_and_its_line() -> None:
    raw = b"tests: [cases/a.jsonl, cases/b.yaml]\n"

    found = issues(raw, "evals/suite.yaml", BESIDE)

    assert [(issue.line, issue.path) for issue in found] == [
        (2, "evals/cases/a.jsonl: column 2"),
        (4, "evals/cases/b.yaml"),
    ]
    assert [one.index for one in rejected(raw, "evals/suite.yaml", BESIDE)] == [1, 3]


@pytest.mark.parametrize(
    ("reference", "warning"),
    [
        ("cases/x.jsonl", "File not found: cases/x.jsonl. Its cases are not in this dataset."),
        ("../../x.yaml", "File not found: ../../x.yaml. Its cases are not in this dataset."),
        (
            "file://make.py:cases",
            "file://make.py:cases is a program: programs are not run. Save its cases as JSONL.",
        ),
    ],
)
def test_a_file_of_cases_that_is_not_there_is_a_warning(reference: str, warning: str) -> None:
    raw = f"tests: [{{id: a, criteria: g, input: x}}, '{reference}']\n".encode()

    assert warning in told(opened(raw, "evals/suite.yaml", BESIDE))


def test_a_file_that_is_named_twice_is_read_once() -> None:
    document = opened(b"tests: [cases/c.csv, cases/c.csv]\n", "evals/suite.yaml", BESIDE)

    assert len(list(document)) == 1
    assert "cases/c.csv was read already: it is read once." in document.warnings


# -- the suite's own input ------------------------------------------------------------------


def test_the_suites_input_goes_before_that_of_each_case() -> None:
    raw = b"input: [{role: system, content: S}]\ntests: [{id: a, criteria: g, input: x}]\n"

    assert resolved(raw, "suite.yaml")["messages"] == [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "x"},
    ]


def test_input_files_go_before_what_the_user_says() -> None:
    raw = b"tests: [{id: a, criteria: g, input: x, input_files: [./a.txt]}]\n"

    found = resolved(raw, "suite.yaml", {"a.txt": b"A"})

    assert found["messages"][0]["content"] == '<file path="a.txt">\nA\n</file>\nx'
    assert found["question"] == "x"


def test_cases_of_agent_skills_are_read() -> None:
    raw = json.dumps(
        {"skill_name": "greeting", "evals": [{"id": 7, "prompt": "Hello?", "assertions": ["Kind"]}]}
    ).encode()

    document = opened(raw, "evals/evals.json")
    (record,) = document

    assert record.record_id == "7"
    assert document.header.dataset_id == "greeting"


# -- prompts of the fifth era ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompt", "sent"),
    [
        ("{{ input }}", [("user", "Hello?")]),
        ("Say to {{user.name}}: {{input}}!", [("user", "Say to Alice: Hello?!")]),
        ("{{ chat }}", [("system", "S")]),
        ("{{ user }} {{nothing}}", [("user", '{"name": "Alice"} ')]),
        ({"raw": "raw {{input}}", "label": "l"}, [("user", "raw Hello?")]),
        ("file://p.txt", [("user", "From a file: Hello?")]),
        ("prompts/q.md", [("user", "In a folder: Hello?")]),
        (
            '[{"role": "system", "content": "S"}, {"role": "user", "content": "{{input}}"}]',
            [("system", "S"), ("user", "Hello?")],
        ),
        ("{{ input | upper }}", [("user", "{{ input | upper }}")]),
    ],
)
def test_a_prompt_is_filled_with_the_variables_of_a_test(
    prompt: Any, sent: list[tuple[str, str]]
) -> None:
    files = {"p.txt": b"From a file: {{input}}", "prompts/q.md": b"In a folder: {{input}}"}

    found = prompted([prompt], files=files)

    assert [(each["role"], each["content"]) for each in found["messages"]] == sent
    assert found["execution"]["target"] == "llm"


def test_a_prompt_of_several_messages_is_one_prompt() -> None:
    chat = [{"role": "system", "content": "S"}, {"role": "user", "content": "{{ input }}"}]

    assert len(prompted(chat)["messages"]) == 2


def test_each_test_is_asked_with_each_prompt() -> None:
    prompts = ["One {{input}}", {"raw": "Two {{input}}", "label": "short"}, "Three {{input}}"]
    raw = V5.replace(b"PROMPTS", json.dumps(prompts).encode())

    found = accepted(raw, "suite.yaml")

    assert [one.record_id for one in found] == ["a@1", "a@short", "a@3"]
    assert [one.head for one in found] == ["One Hello?", "Two Hello?", "Three Hello?"]
    assert [dict(one.facets)["prompt"] for one in found] == ["1", "short", "3"]


def test_a_variable_that_a_test_lacks_is_a_warning() -> None:
    raw = V5.replace(b"PROMPTS", b'["{{ missing }}"]')

    assert warnings(raw, "suite.yaml") == [
        "The prompt asks for missing, which the test has no value for."
    ]


def test_a_prompt_that_is_a_program_is_left_out() -> None:
    raw = V5.replace(b"PROMPTS", b'["file://prompt.py:make", "{{input}}"]')
    document = opened(raw, "suite.yaml")

    assert [one.record_id for one in document] == ["a"]
    assert (
        "The prompt file://prompt.py:make is a program: programs are not run, it was left out."
        in document.warnings
    )


def test_the_default_test_gives_variables_and_graders() -> None:
    raw = b"""\
prompts: ["{{greeting}} {{input}}"]
default_test: {vars: {greeting: Hi, input: nothing}, assert: [{type: is-json}]}
tests: [{id: a, vars: {input: Ada}, assert: [Is kind.]}]
"""

    found = resolved(raw, "suite.yaml")

    assert found["question"] == "Hi Ada"
    assert [each["type"] for each in found["assertions"]] == ["llm-grader", "is-json"]


def test_a_bare_text_among_the_graders_is_the_goal() -> None:
    assert prompted("{{input}}")["criteria"] == "Is kind."


# -- CSV ------------------------------------------------------------------------------------


def test_columns_of_a_table_say_what_they_are_for() -> None:
    raw = (
        b"id,vars.input,__expected,__expected2,__metric,__threshold,__metadata:source,locale\n"
        b'm,Greet me,icontains:hello,"not-contains-any: a, b",greeting,0.8,csv,en\n'
    )

    (record,) = accepted(raw, "magic.csv", {"magic.yaml": b"prompts: ['{{input}} in {{locale}}']"})
    found = json.loads(record.payload)["resolved"]

    assert found["era"] == "5.x"
    assert found["question"] == "Greet me in en"
    assert [{k: each[k] for k in ("name", "type", "value")} for each in found["assertions"]] == [
        {"name": "greeting-1", "type": "icontains", "value": "hello"},
        {"name": "greeting-2", "type": "contains", "value": ["a", "b"]} | {"type": "contains-any"},
    ]
    assert found["assertions"][1]["negate"] is True
    assert ("metadata.source", "csv") in record.facets


@pytest.mark.parametrize(
    ("cell", "grader"),
    [
        ("exactly this", {"type": "equals", "value": "exactly this"}),
        ("regex:^a", {"type": "regex", "value": "^a"}),
        ("latency(500)", {"type": "latency", "threshold": 500.0}),
        ("nonesuch:x", {"type": "equals", "value": "nonesuch:x"}),
        ("is-json", {"type": "is-json"}),
    ],
)
def test_an_expected_cell_is_a_grader(cell: str, grader: dict[str, Any]) -> None:
    (found,) = resolved(f"input,__expected\nx,{cell}\n".encode(), "magic.csv")["assertions"]

    assert {key: found[key] for key in grader} == grader


@pytest.mark.parametrize("cell", ["python:check.py", "javascript:output.length > 3", "fn:x"])
def test_a_program_in_a_cell_is_never_executed(cell: str) -> None:
    (found,) = resolved(f"input,__expected\nx,{cell}\n".encode(), "magic.csv")["assertions"]

    assert found["type"] == "code-grader"
    assert found["never_executed"] is True


def test_a_row_without_an_id_is_named_by_its_number() -> None:
    found = accepted(b"input,criteria\nx,g\ny,g\n", "cases.csv")

    assert [one.record_id for one in found] == ["row-1", "row-2"]
    assert [one.offset for one in found] == [15, 19]


def test_a_row_of_another_length_is_a_mistake_with_its_line() -> None:
    (issue,) = issues(b"input,criteria\nx\n", "cases.csv")

    assert (issue.line, issue.code) == (2, "invalid_row")


def test_columns_may_be_mapped() -> None:
    (record,) = accepted(b"q,goal\nx,g\n", "c.csv", mapping={"input": "q", "criteria": "goal"})

    assert json.loads(record.payload)["resolved"]["question"] == "x"
