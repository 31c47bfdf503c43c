"""What reading adds to a case: defaults, graders, files, and what is asked and expected."""

from collections.abc import Iterator, Mapping
from typing import Any

from apps.datasets.formats.agentv import assertions, cases, messages
from apps.datasets.formats.agentv.assertions import Shared
from apps.datasets.formats.agentv.cases import Case
from apps.datasets.formats.agentv.content import Files
from apps.datasets.formats.agentv.prompts import Prompt
from apps.datasets.formats.agentv.suites import Suite, target_of, targets_of
from apps.datasets.formats.building import Facet, length_facet, metadata_facets

INPUTS = ("input_messages", "input", "prompt")
SLICED = (("tags", "tag"), ("labels", "label"))
MOST_TAGS = 32


def resolved(
    case: Case, prompt: Prompt | None, suite: Suite, shared: Shared, files: Files
) -> dict[str, Any]:
    """The part of a payload beside its row; what is wrong is noted in `files.notes`."""
    said = cases.asked(case, suite.fields, prompt, files)
    sent, question = messages.asked(said, files, _input(case))
    answers = messages.expected(cases.expected(case, files.notes), files, "expected")
    execution = _execution(case, suite)
    graders = assertions.in_force(case.row, execution, shared, files)
    own = {"name": suite.name, "execution": suite.execution, "evaluator": suite.evaluator}
    default = suite.fields.get("default_test", suite.fields.get("defaultTest"))
    return {
        "era": case.era.name,
        "suite": own | _threshold(default, suite.fields, suite.execution),
        "execution": execution,
        "evaluator": case.row.get("evaluator") or suite.evaluator,
        "assertions": graders,
        "files": list(files.used.values()),
        "messages": sent,
        "question": question,
        "criteria": case.criteria,
        "expected": answers,
        "reference_answer": messages.reference_answer(answers),
        **_threshold(case.row, case.row.get("execution")),
        **_prompt(prompt),
    }


def facets(case: Case, added: Mapping[str, Any]) -> Iterator[Facet]:
    yield "suite", added["suite"]["name"]
    yield "conversation", case.conversation
    yield "target", added["execution"]["target"]
    if "prompt" in added:
        yield "prompt", added["prompt"]["label"]
    metadata = case.row.get("metadata")
    inner: Mapping[str, Any] = metadata if isinstance(metadata, dict) else {}
    for name, family in SLICED:
        for value in (*_texts(case.row.get(name)), *_texts(inner.get(name))):
            yield family, value
    yield from metadata_facets(inner)
    yield length_facet(added["question"])


def _execution(case: Case, suite: Suite) -> dict[str, Any]:
    """The case's own as a whole, else the suite's; always with the name of whom it asks."""
    own = case.row.get("execution")
    stated = own if isinstance(own, dict) else targets_of(case.row) or suite.execution
    return {**stated, "target": target_of(stated)}


def _threshold(*holders: Any) -> dict[str, Any]:
    """The score from 0 to 1 that an answer must reach, where one of these states it."""
    stated: list[Any] = [each.get("threshold") for each in holders if isinstance(each, dict)]
    found = (each for each in stated if type(each) in (int, float) and 0 <= each <= 1)
    return next(({"threshold": each} for each in found), {})


def _prompt(prompt: Prompt | None) -> dict[str, Any]:
    """Which of several prompts it is."""
    if prompt is None or prompt.of == 1:
        return {}
    return {"prompt": {"label": prompt.label, "number": prompt.number}}


def _input(case: Case) -> str:
    """The field that holds what is asked, for paths in reports."""
    return next((key for key in INPUTS if key in case.row), "input")


def _texts(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    return [each for each in listed[:MOST_TAGS] if isinstance(each, str)]
