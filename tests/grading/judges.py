"""Every rule that asks a judge, as its examples set it, and subjects with a text in every field."""

import re
from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter

from apps.grading.contracts import Question, Subject
from apps.grading.rules import RULES, AnyRule, JudgeRule, Rule
from apps.grading.subjects import Choice, Chunk, RubricItem, Turn

RULE: TypeAdapter[Rule] = TypeAdapter(AnyRule)
OWN_SETTINGS: dict[str, list[dict[str, Any]]] = {
    "criteria_judge": [{"default_criteria": ["overall"]}],
    "rubric_judge": [{}, {"marks": "share"}, {"questions": "all"}],
    "scale_judge": [{"criteria": [{"name": "tone", "definition": "Is it polite?"}]}],
}
"""What a rule needs beside its name; all others ask by their defaults."""


def judge_rules(**common: Any) -> Iterator[JudgeRule]:
    for rule in RULES:
        if issubclass(rule, JudgeRule):
            type_ = str(rule.model_fields["type"].default)
            for settings in OWN_SETTINGS.get(type_, [{}]):
                ready = RULE.validate_python({"type": type_, "name": "it", **settings, **common})
                assert isinstance(ready, JudgeRule)
                yield ready


JUDGES = tuple(judge_rules())


def ids(rule: JudgeRule) -> str:
    settings = rule.model_dump(exclude_defaults=True, exclude={"type", "name"})
    return "-".join([rule.model_dump()["type"], *map(str, settings)])


def filled_with(text: str, *, policy: str = "") -> Subject:
    """A subject that says the text wherever a judge may be shown what it says."""
    return Subject(
        record_id=text,
        prompt=text,
        messages=(Turn(role="system", content=text), Turn(role="user", content=text)),
        response=text,
        turns=(Turn(role="assistant", content=text),),
        reference_answers=(text, "known"),
        expected_turns=(Turn(role="assistant", content=text),),
        criteria=text,
        choices=(Choice(id=text, text=text),),
        rubric=(
            RubricItem(id=text, title=text, description=text),
            RubricItem(id="bare", title="", description=text, weight=-2),
        ),
        context=f"file {text}\n{text}",
        chunks=(Chunk(id=text, text=text, rank=1), Chunk(id="2", text=text, rank=2)),
        policy=policy,
        record={"expected": {"required_criteria": ["overall"]}, text: text},
    )


def around(question: Question) -> tuple[str, str, str, str]:
    """System words, what stands before the material, its line, and what follows."""
    assert question.user.count("<material>") == question.user.count("</material>") == 1
    before, _, rest = question.user.partition("<material>\n")
    line, _, after = rest.partition("\n</material>")
    assert len(line.splitlines()) == 1
    assert not re.search(r"[<>&\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ud800-\udfff]", line)
    return question.system, before, line, after
