"""Answers become annotations: a batch is written whole, with its history, breaches and counts."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from datetime import datetime

from django.db import transaction

from apps.artifacts.redaction import Redactor
from apps.labeling.models import Annotation, CampaignStep
from apps.labeling.nudging import ask_for
from apps.runs.working.rows import stored

from .answers import names_of
from .breaching import write_breaches
from .contracts import Synced
from .counting import count_answers
from .sitting import Pair, Place, Said, Sitting
from .writing import Key, key_of, write_annotations

LONGEST_LABEL, LONGEST_REASON = 1_000, 120

Stands = Mapping[Pair, Sequence[Annotation]]


def keep(sitting: Sitting, place: Place, said: Iterable[Said], blank: Collection[Key]) -> Synced:
    """Write what is news; what was said before that which stands is not.

    `blank`: the annotations that had been taken back before anything was read.
    """
    newest = {each.pair: each for each in sorted(said, key=lambda each: each.given_at)}
    with transaction.atomic():
        sitting.hold()
        stands = _standing(place, newest)
        fresh = [each for each in newest.values() if not _is_old(each, stands, blank)]
        given = [row for each in fresh for row in _rows(each, place, stands, sitting.redactor)]
        found = _write(given, stands)
        breached = write_breaches(sitting, place, fresh)
        if found.is_news or breached:
            count_answers(place, {each.item.pk for each in fresh})
            ask_for(sitting.campaign.pk, CampaignStep.Name.ANALYSE)
    return found


def _standing(place: Place, pairs: Collection[Pair]) -> Stands:
    """What these people said about these items; also what they took back."""
    items, annotators = {item for item, _ in pairs}, {annotator for _, annotator in pairs}
    rows = Annotation.objects.filter(
        item__in=items, annotator__in=annotators, question__in=place.questions.values()
    )
    stands: defaultdict[Pair, list[Annotation]] = defaultdict(list)
    for row in rows:
        stands[row.item_id, row.annotator].append(row)
    return stands


def _is_old(said: Said, stands: Stands, blank: Collection[Key]) -> bool:
    """What was taken back has the moment of the answer that it was."""
    rows = stands.get(said.pair, ())
    newest = max((row.annotated_at for row in rows if row.annotated_at), default=None)
    if newest is None or said.given_at != newest:
        return newest is not None and said.given_at < newest
    return _is_taken_back(rows) and not all(key_of(row) in blank for row in rows)


def _is_taken_back(rows: Iterable[Annotation]) -> bool:
    return all(map(_says_nothing, rows))


def _rows(said: Said, place: Place, stands: Stands, redactor: Redactor) -> Iterator[Annotation]:
    """What is said now, and what was said to questions that are not answered any more, as blank."""
    given = {row.question_id: row for row in _given(said, place, redactor)}
    yield from given.values()
    for row in stands.get(said.pair, ()):
        if row.question_id not in given and not _says_nothing(row):
            yield _blank(row, said.given_at)


def _given(said: Said, place: Place, redactor: Redactor) -> Iterator[Annotation]:
    answer = said.answer
    if answer is None:
        return
    names = names_of(place.task, said.item.criteria) if answer.discard_reason else answer.labels
    notes = stored(answer.notes, redactor)
    for name in names:
        if name in place.questions:
            yield Annotation(
                item_id=said.item.pk,
                question_id=place.questions[name],
                annotator=said.member.annotator,
                user_id=said.member.user_id,
                label=stored(answer.labels.get(name, ""), redactor)[:LONGEST_LABEL],
                discard_reason=stored(answer.discard_reason, redactor)[:LONGEST_REASON],
                notes=notes,
                begun_at=said.begun_at,
                annotated_at=said.given_at,
            )


def _write(given: Sequence[Annotation], stands: Stands) -> Synced:
    old = {key_of(row): row for rows in stands.values() for row in rows}
    new, changed, same = write_annotations(given, old)
    withdrawn = sum(map(_says_nothing, given))
    return Synced(new=new, changed=changed - withdrawn, same=same, withdrawn=withdrawn)


def _blank(row: Annotation, moment: datetime) -> Annotation:
    blank = copy(row)
    blank.label = blank.discard_reason = blank.notes = ""
    blank.extra, blank.annotated_at = None, moment
    return blank


def _says_nothing(row: Annotation) -> bool:
    return not (row.label or row.discard_reason)
