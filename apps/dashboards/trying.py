"""A contract tried on answers that are there: what its rules say of each; nothing is stored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.db.models import QuerySet

from apps.datasets import prompting, subjects
from apps.datasets.models import DatasetVersion
from apps.grading.combining import InForce, OwnRules
from apps.grading.contracts import Judgment, Question
from apps.grading.spec import Answers, ContractSpec, RuleSet, judge
from apps.grading.subjects import Subject
from apps.grading.trying import questions_in_order
from apps.runs.contracts import Held
from apps.runs.engine.evaluating import subject_of
from apps.runs.engine.items import Item
from apps.runs.engine.ruling import Rules
from apps.runs.models import Result, Run
from apps.runs.working.carrying import held_of, is_answered
from apps.runs.working.loading import is_of_the_data, named_targets
from apps.targets.contracts import Reply

FIRST = 10
MOST = 20
LOOKED_AT = 500
"""Records of a dataset that are looked through for answers."""

Source = Run | DatasetVersion


@dataclass(frozen=True, slots=True)
class Tried:
    """One answer, the rules in force for it, and what they say."""

    item: Item
    subject: Subject
    rules: RuleSet
    judgment: Judgment
    questions: tuple[tuple[str, Question], ...]
    heard: bool

    @property
    def waits(self) -> bool:
        """Whether the outcome depends on a judge that was not asked."""
        return bool(self.questions) and not self.heard and self.judgment.outcome == "error"

    @property
    def replaced(self) -> tuple[tuple[str, str], ...]:
        """Rules that gave way to one of the same name, with the source that lost."""
        return self.rules.replaced if isinstance(self.rules, InForce) else ()


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers that were found, and the ids that were asked for and have none here."""

    items: tuple[Item, ...]
    missing: tuple[str, ...]
    dataset_rules: OwnRules
    of_the_data: bool


def answers_of(source: Source, record_ids: Sequence[str]) -> Answered:
    """The answers of the records of these ids, at most 20; without any of the first 10."""
    wanted = tuple(dict.fromkeys(record_ids))[:MOST]
    found = _of_run(source, wanted) if isinstance(source, Run) else _of_version(source, wanted)
    items = tuple(found)
    known = {item.record_id for item in items}
    return Answered(
        items=items,
        missing=tuple(each for each in wanted if each not in known),
        dataset_rules=subjects.of_dataset(_version_of(source).header),
        of_the_data=_of_the_data(source),
    )


def tried(
    spec: ContractSpec,
    answered: Answered,
    judges: Sequence[str],
    heard: Mapping[int, Answers] | None = None,
) -> list[Tried]:
    """`judges` are the names that rules of the data may ask; `heard` what was said, by ordinal."""
    rules = Rules(spec, ["", *judges], dataset=answered.dataset_rules)
    return [
        _tried(
            item, rules, answered.of_the_data, None if heard is None else heard.get(item.ordinal)
        )
        for item in answered.items
    ]


def _version_of(source: Source) -> DatasetVersion:
    return source.dataset_version if isinstance(source, Run) else source


def _of_the_data(source: Source) -> bool:
    """Whether the records may tell how their answers were made."""
    if not isinstance(source, Run):
        return True
    target, _judges = named_targets(source)
    return is_of_the_data(target.spec)


def _tried(item: Item, rules: Rules, of_the_data: bool, heard: Answers | None) -> Tried:
    given = subjects.given(item.payload)
    in_force = rules.of(given)
    assert in_force is not None  # there is always the contract
    subject = subject_of(item, given, of_the_data)
    asked = questions_in_order(in_force, subject)
    return Tried(
        item=item,
        subject=subject,
        rules=in_force,
        judgment=judge(in_force, subject, heard),
        questions=tuple((rule.name, question) for rule, question in asked),
        heard=heard is not None,
    )


def _of_run(run: Run, wanted: Sequence[str]) -> Iterator[Item]:
    """The first try of each record that has an answer."""
    results: QuerySet[Result] = run.results.filter(trial=0).select_related("record")
    if wanted:
        results = results.filter(record__record_id__in=wanted)
    taken = 0
    for result in results.order_by("ordinal")[:LOOKED_AT]:
        if is_answered(result) and taken < (len(wanted) or FIRST):
            taken += 1
            record = result.record
            yield _item(
                result.ordinal, record.pk, record.record_id, record.payload, held_of(result)
            )


def _of_version(version: DatasetVersion, wanted: Sequence[str]) -> Iterator[Item]:
    records = version.records.order_by("ordinal")
    if wanted:
        records = records.filter(record_id__in=wanted)
    taken = 0
    rows = records.values_list("ordinal", "pk", "record_id", "payload")
    for ordinal, pk, record_id, payload in rows[:LOOKED_AT]:
        answer = prompting.answer_of(orjson.loads(payload))
        if answer and taken < (len(wanted) or FIRST):
            taken += 1
            yield _item(ordinal, pk, record_id, payload, Held(reply=Reply(text=answer)))


def _item(ordinal: int, pk: int, record_id: str, payload: Any, held: Held) -> Item:
    return Item(ordinal, 0, pk, record_id, orjson.loads(payload), held)
