"""Cases of agentv, as graders see them, and the graders that they and their suite bring.

The graders of a case are rules of its record, those of its suite rules of the dataset. As in
agentv none of them fails an answer alone: the weighted mean must reach a threshold.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from apps.datasets.formats.agentv.assertions import (
    KEYS,
    OF,
    SUITE,
    Grader,
    kind_of,
    rubrics,
)
from apps.grading.combining import NO_RULES, OwnRules

from .given import Given, asked
from .said import turns_of

PASSING = 0.8
"""What agentv asks for where nobody says more."""

JUDGE = "llm-grader"
TOLD = ("rubrics", "prompt")
COMPOSITE = "composite"
UNNAMED = "criterion"
INLINE = "rubrics"
"""What the rubric of a case is called, which stands before its other graders."""

TAGS = ("tags", "labels")
MOST_LABELS = 100


def given(payload: Mapping[str, Any]) -> Given:
    row, resolved = payload["row"], payload["resolved"]
    graders = list(_graders(resolved))
    suite = resolved["suite"]
    fields = {
        **asked(payload),
        "criteria": resolved["criteria"],
        "expected_turns": turns_of(resolved["expected"]),
        "labels": tuple(_labels(row)),
    }
    return Given(
        fields=fields,
        record=_own([each for each in graders if not each.of_suite], resolved.get("threshold")),
        dataset=_own(
            [each for each in graders if each.of_suite],
            suite.get("threshold", PASSING if graders else None),
        ),
    )


class Stated(NamedTuple):
    """A grader as a rule is written, whose it is, and whether its name is its own."""

    rule: Grader
    of_suite: bool
    named: bool


def _own(graders: list[Stated], threshold: float | None) -> OwnRules:
    if not graders and threshold is None:
        return NO_RULES
    return OwnRules(
        rules=tuple(each.rule for each in graders),
        passing_score=threshold,
        unnamed=tuple(place for place, each in enumerate(graders) if not each.named),
    )


def _graders(resolved: Mapping[str, Any]) -> Iterator[Stated]:
    """Those that are stated; where there are none the criteria are what a judge looks at."""
    criteria = resolved["criteria"]
    stated = resolved["assertions"]
    if not stated and criteria:
        stated = [{"name": "criteria", "type": JUDGE}]
    for place, grader in enumerate(stated):
        given = _by_place(grader, place)
        rule = {**_by_criteria(grader, criteria), **given, "blocking": False}
        yield Stated(
            {key: value for key, value in rule.items() if key != OF},
            of_suite=grader.get(OF) == SUITE,
            named=not given,
        )


def _by_place(grader: Grader, place: int) -> Grader:
    """By type and place where it has no name of its own, so that none replaces another."""
    name, kind = grader.get("name"), grader["type"]
    inline = name == INLINE and place == 0 and grader.get(OF) != SUITE
    own = isinstance(name, str) and name != UNNAMED and kind_of(name)[0] != kind
    return {} if own or inline else {"name": f"{name if name == UNNAMED else kind}_{place}"}


def _by_criteria(grader: Grader, criteria: str) -> Grader:
    """A judge that is told nothing else looks at the criteria of the case."""
    if grader.get("type") == COMPOSITE:
        inner = {key: grader[key] for key in KEYS if isinstance(grader.get(key), list)}
        told = {key: [_by_criteria(each, criteria) for each in inner[key]] for key in inner}
        return {**grader, **told}
    if grader.get("type") != JUDGE or not criteria or any(grader.get(key) for key in TOLD):
        return grader
    return {**grader, "rubrics": [{**rubrics(criteria)[0], "id": "criteria"}]}


def _labels(row: Mapping[str, Any]) -> list[str]:
    metadata = row.get("metadata")
    holders = (row, metadata if isinstance(metadata, Mapping) else {})
    found = [holder.get(key) for holder in holders for key in TAGS]
    listed = [each if isinstance(each, list) else [each] for each in found]
    texts = [text for each in listed for text in each if isinstance(text, str)]
    return list(dict.fromkeys(texts))[:MOST_LABELS]
