"""agentv's graders and criteria, as they are kept with a case."""

from typing import Any

import pytest

from tests.datasets.agentv import SIDECAR, case, lines, resolved


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("code_judge", "code-grader"),
        ("code-grader", "code-grader"),
        ("script", "code-grader"),
        ("javascript", "code-grader"),
    ],
)
def test_a_code_grader_is_kept_and_marked_as_never_executed(said: str, kind: str) -> None:
    entry = {"type": said, "name": "check", "script": ["rm", "-rf", "/"]}

    (grader,) = resolved(lines(case(assertions=[entry])), files=SIDECAR)["assertions"]

    assert grader == {**entry, "type": kind, "never_executed": True}


@pytest.mark.parametrize(
    ("entry", "grader"),
    [
        ({"type": "llm_judge"}, {"type": "llm-grader", "name": "llm_judge"}),
        ({"type": "tool_trajectory"}, {"type": "tool-trajectory", "name": "tool_trajectory"}),
        ({"type": "not-contains"}, {"type": "contains", "name": "not-contains", "negate": True}),
        ({"type": "contains", "metric": "m"}, {"type": "contains", "name": "m", "metric": "m"}),
        ({"type": "nonesuch", "x": 1}, {"type": "nonesuch", "name": "nonesuch", "x": 1}),
    ],
)
def test_a_grader_has_the_name_of_the_third_era(
    entry: dict[str, Any], grader: dict[str, Any]
) -> None:
    assert resolved(lines(case(assertions=[entry])), files=SIDECAR)["assertions"] == [grader]


def test_criteria_are_objects_whether_they_were_texts_or_not() -> None:
    stated = ["Says hello", {"id": "kind", "description": "Is kind", "weight": 2}]

    (grader,) = resolved(lines(case(rubrics=stated)), files=SIDECAR)["assertions"]

    assert grader["rubrics"] == [
        {"id": "rubric-1", "outcome": "Says hello", "weight": 1.0, "required": True},
        {
            "id": "kind",
            "outcome": "Is kind",
            "description": "Is kind",
            "weight": 2,
            "required": True,
        },
    ]


def test_members_of_a_composite_are_read_like_graders() -> None:
    entry = {"type": "assert-set", "assert": ["Is kind.", {"type": "script", "command": ["x"]}]}

    (grader,) = resolved(lines(case(assertions=[entry])), files=SIDECAR)["assertions"]

    assert grader["type"] == "composite"
    assert [each["type"] for each in grader["assert"]] == ["llm-grader", "code-grader"]
    assert grader["assert"][1]["never_executed"] is True
