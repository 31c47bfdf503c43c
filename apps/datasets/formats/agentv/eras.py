"""The eras of the format: which keys a file of which time uses."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Row = Mapping[str, Any]


class Era(NamedTuple):
    """`name` is what records and reports say; `keys` are those that people know it by."""

    name: str
    keys: str
    goal: str
    input: str
    hint: str


FIRST = Era(
    "to 2.5",
    "evalcases, expected_outcome, input_messages, evaluators",
    "expected_outcome",
    "input_messages",
    "Required fields: id, expected_outcome, input_messages",
)
SECOND = Era(
    "2.6 to 2.7",
    "cases, criteria, input_messages or input, assert",
    "criteria",
    "input",
    "Required fields: id, input, and at least one of criteria/expected_output/assert",
)
THIRD = Era(
    "2.7 to 4.x",
    "tests, criteria, input, assertions",
    "criteria",
    "input",
    "Required fields: id, input, and at least one of criteria/expected_output/assertions",
)
FIFTH = Era(
    "5.x",
    "prompts, tests, vars, assert",
    "assert",
    "vars.input",
    "Required fields: id, vars with what the prompts ask for (vars.input where there are no "
    "prompts), and at least one of assert/vars.expected_output/criteria",
)
SKILLS = Era(
    "Agent Skills",
    "evals, prompt, expected_output, files, assertions",
    "expected_output",
    "prompt",
    "Required fields: id, prompt",
)

CASE_LISTS = ("evalcases", "eval_cases", "cases", "tests", "evals")
"""How the list of cases is called in a suite, from the first era to the last."""

FIRST_KEYS = ("expected_outcome", "outcome", "input_messages", "expected_messages", "evaluators")
RESULT_IDS = ("eval_id", "test_id", "evalId", "testId")


def era_of(row: Row, suite: Row) -> Era:
    """Told by the keys of a case, and by whether its suite has prompts."""
    if "vars" in row or "prompts" in suite:
        return FIFTH
    if "input" not in row and "input_messages" not in row and "prompt" in row:
        return SKILLS
    newer = "criteria" in row or "assert" in row
    if not newer and any(key in row for key in FIRST_KEYS):
        return FIRST
    if "assert" in row or (newer and any(key in row for key in FIRST_KEYS)):
        return SECOND
    return THIRD


def told(eras: Counter[Era]) -> Iterator[str]:
    """A sentence for each era that was met."""
    for era, count in eras.most_common():
        counted = f"{count:,} cases are" if count > 1 else "1 case is"
        start = "Read as" if len(eras) == 1 else f"{counted} read as"
        yield f"{start} agentv of the era {era.name} ({era.keys})."
