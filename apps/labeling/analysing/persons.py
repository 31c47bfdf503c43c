"""What each person did: their labels and discards, against the others, against known answers."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from apps.labeling.members.pace import BREAK
from apps.labeling.models import Question
from apps.metrics import agreement, intervals
from apps.metrics.contracts import Interval
from apps.metrics.labels import Marginal, PersonAgreement

from .contracts import Pace, People, Person, PersonOnQuestion
from .reading import Labels

MOST_PEOPLE = 200
FEWEST_GAPS = 10

NO_CONSENSUS = "on no item do the others agree on a label"
NO_GOLD = "no item has an answer that is known from somebody else"
NO_YES = "no question is answered with yes or no"


def people_of(labels: Labels) -> People:
    """Those who labelled or discarded anything, the busiest first."""
    busy = pd.concat([labels.counted, labels.discarded])["annotator"].value_counts()
    ranked = sorted(busy.index, key=lambda name: (-busy[name], name))
    on_questions = _on_questions(labels)
    return People(
        listed=tuple(_person(name, labels, on_questions) for name in ranked[:MOST_PEOPLE]),
        left_out=len(ranked[MOST_PEOPLE:]),
    )


def _person(
    name: str, labels: Labels, on_questions: Mapping[str, list[PersonOnQuestion]]
) -> Person:
    rows = labels.counted[labels.counted["annotator"] == name]
    discards = labels.discarded[labels.discarded["annotator"] == name]
    each = on_questions.get(name, [])
    return Person(
        annotator=name,
        labels=len(rows),
        discards=_marginals(discards.drop_duplicates(["item", "task"])),
        consensus=_pooled([one.consensus for one in each], NO_CONSENSUS),
        gold=_pooled([one.gold for one in each], NO_GOLD),
        yes=_yes(rows, labels.questions),
        pace=_pace(pd.concat([rows, discards])),
        questions=tuple(each),
    )


def _on_questions(labels: Labels) -> dict[str, list[PersonOnQuestion]]:
    found: dict[str, list[PersonOnQuestion]] = {}
    by_question = dict(iter(labels.counted.groupby("question")))
    for question in labels.questions:
        rows = by_question.get(question.pk)
        if rows is None or question.kind == Question.Kind.TEXT:
            continue
        marginals = {name: _marginals(own) for name, own in rows.groupby("annotator")}
        known, own = labels.gold.get(question.pk), labels.own.get(question.pk, ())
        for person in agreement.of_people(rows, gold=known, own=own):
            told = _on_question(question, person, marginals[person.annotator])
            found.setdefault(person.annotator, []).append(told)
    return found


def _on_question(
    question: Question, person: PersonAgreement, marginals: tuple[Marginal, ...]
) -> PersonOnQuestion:
    return PersonOnQuestion(
        question=question.pk,
        labels=person.labels,
        marginals=marginals,
        undecided=person.undecided,
        alone=person.alone,
        consensus=person.consensus,
        gold=person.gold,
    )


def _pooled(each: Sequence[Interval], nothing: str) -> Interval:
    """Over all questions, worth no more than the question that was answered most often."""
    n = sum(one.n for one in each)
    hits = sum(round((one.point or 0) * one.n) for one in each)
    return _rate(hits, n, max((one.n for one in each), default=0), nothing)


def _yes(rows: pd.DataFrame, questions: Sequence[Question]) -> Interval:
    yes_or_no = [each.pk for each in questions if each.kind == Question.Kind.YES_NO]
    labels = rows[rows["question"].isin(yes_or_no)]
    worth = labels.groupby("question").size().max() if len(labels) else 0
    said = int((labels["label"] == "true").sum())
    return _rate(said, len(labels), int(worth), NO_YES)


def _rate(hits: int, n: int, worth: int, nothing: str) -> Interval:
    """Of n answers that tell no more than `worth` independent ones."""
    effective = None if worth == n else np.array([worth], dtype=np.float64)
    return intervals.rates([hits], [n], effective=effective, nothing=nothing)[0]


def _pace(rows: pd.DataFrame) -> Pace:
    """Between one answer and the next, as far as nobody was away in between."""
    moments = rows.groupby(["item", "task"])["at"].max().dropna().sort_values()
    gaps = moments.diff().dropna().dt.total_seconds()
    worked = gaps[gaps <= BREAK.total_seconds()]
    hours = float(worked.sum()) / 3600
    if len(worked) < FEWEST_GAPS or not hours:
        why = "too few answers one after the other say when they were given"
        return Pace(per_hour=None, answers=len(moments), hours=hours, why=why)
    return Pace(per_hour=len(worked) / hours, answers=len(moments), hours=hours)


def _marginals(rows: pd.DataFrame) -> tuple[Marginal, ...]:
    counts = rows["label"].value_counts()
    ranked = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return tuple(Marginal(label=str(label), count=int(count)) for label, count in ranked)
