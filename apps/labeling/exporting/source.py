"""What an export is made of: answer by answer, with its items and what people said of them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property

from django.db.models import Max, QuerySet

from apps.artifacts.redaction import Redactor
from apps.grading.subjects import Chunk, Subject
from apps.jobs.leases import Lease
from apps.labeling.importing.recognising import twin_sha256
from apps.labeling.models import Annotation, Campaign, Export, Item
from apps.labeling.sending.subjects import Subjects
from apps.labeling.sending.units import pair_sha256
from apps.labeling.task_types import showing
from apps.runs.models import Result
from apps.runs.walking import WINDOW

Asked = list[Annotation]


class Unit:
    """An item with what stands of it: each person's labels and discards, in a settled order."""

    def __init__(self, item: Item, annotations: Sequence[Annotation]) -> None:
        self.item = item
        self.annotations = annotations

    def responses(self, questions: frozenset[int]) -> dict[str, Asked]:
        """By annotator: what they said to these questions."""
        found: defaultdict[str, Asked] = defaultdict(list)
        for each in self.annotations:
            if each.question_id in questions:
                found[each.annotator].append(each)
        return dict(sorted(found.items()))


class Answer:
    """One result with its items; its texts are put together, and redacted, when they are needed."""

    def __init__(
        self, result: Result, units: Sequence[Unit], subjects: Subjects, redactor: Redactor
    ) -> None:
        self.result = result
        self.units = units
        self._subjects = subjects
        self._redactor = redactor

    @cached_property
    def subject(self) -> Subject:
        return self._subjects.of(self.result)

    @cached_property
    def pair(self) -> str:
        """The id of query, answer and context together."""
        known = (unit.item.pair_sha256 for unit in self.units)
        return next(filter(None, known), "") or pair_sha256(self.subject)

    @cached_property
    def query(self) -> str:
        return self._redactor.text(showing.query(self.subject))

    @cached_property
    def answer(self) -> str:
        return self._redactor.text(self.subject.response)

    @cached_property
    def context(self) -> str:
        return self._redactor.text(showing.context(self.subject))

    @cached_property
    def passages(self) -> list[str]:
        """The context in its parts."""
        read = self._redactor.text
        texts = [read(chunk.text) for chunk in self.subject.chunks]
        return texts or [text for text in (self.context,) if text]

    @cached_property
    def chunks(self) -> dict[str, Chunk]:
        """By the names that items have for them."""
        return dict(zip(showing.units(self.subject), self.subject.chunks, strict=False))

    @cached_property
    def documents(self) -> dict[str, str]:
        """The document that each chunk is of, where the record says so."""
        rows = self.subject.record.get("chunks") or ()
        return {
            str(row["chunk_id"]): str(row.get("doc_id") or "")
            for row in rows
            if isinstance(row, dict) and "chunk_id" in row
        }

    def chunk(self, unit: Unit) -> str:
        found = self.chunks.get(unit.item.chunk)
        return self._redactor.text(found.text) if found else ""


class Source:
    """The campaign as it is being read; `beat` keeps the worker's right to go on."""

    def __init__(
        self, export: Export, redactor: Redactor, lease: Lease, *, as_of: datetime
    ) -> None:
        self.export = export
        self.as_of = as_of
        self.campaign: Campaign = export.campaign
        self.redactor = redactor
        self.questions = list(self.campaign.questions.order_by("position", "task_type", "name"))
        self._asked = {each.pk: each for each in self.questions}
        self._subjects = Subjects()
        self._lease = lease
        self._done = self._total = 0
        self._first: dict[str, int] = {}

    def annotations(self) -> QuerySet[Annotation]:
        """Those that the export is about; what was taken back is not."""
        found = Annotation.objects.filter(item__campaign=self.campaign)
        return found.standing() if self.export.include_discarded else found.labelled()

    def will_pass(self, times: int) -> None:
        """How often all of it is going to be read: the measure of progress."""
        self._total = times * self.campaign.items.count()

    def windows(self) -> Iterator[list[Answer]]:
        """All answers that have items, some hundred at a time: no cursor stays open."""
        last = self.campaign.items.aggregate(last=Max("result__ordinal"))["last"]
        for start in range(0, 0 if last is None else last + 1, WINDOW):
            if window := self._window(start):
                yield window

    def answers(self) -> Iterator[Answer]:
        for window in self.windows():
            for answer in window:
                yield answer
                self.beat(answer)

    def within(self, window: Sequence[Answer]) -> dict[str, object]:
        """What has an item of these answers."""
        return {
            "item__campaign": self.campaign,
            "item__result__ordinal__gte": window[0].result.ordinal,
            "item__result__ordinal__lte": window[-1].result.ordinal,
        }

    def uuid(self, answer: Answer) -> str:
        """The annotation tool's id of its pair; of pairs that are the same, the first has it."""
        first = self._first.setdefault(answer.pair, answer.result.pk)
        alone = first == answer.result.pk
        return answer.pair if alone else twin_sha256(answer.pair, answer.result.record.record_id)

    def beat(self, answer: Answer) -> None:
        self._done += len(answer.units)
        self._lease.progress(min(self._done, self._total), self._total)

    def _window(self, start: int) -> list[Answer]:
        within = {"result__ordinal__gte": start, "result__ordinal__lt": start + WINDOW}
        items = Item.objects.filter(campaign=self.campaign, **within)
        related = items.select_related("result__record", "result__run")
        ordered = list(related.order_by("result__ordinal", "result__trial", "chunk"))
        said = self._said(start)
        by_result: dict[int, list[Unit]] = {}
        for item in ordered:
            by_result.setdefault(item.result_id, []).append(Unit(item, said.get(item.pk, [])))
            self._attach(item, said.get(item.pk, []))
        return [self._answer(units) for units in by_result.values()]

    def _said(self, start: int) -> dict[int, Asked]:
        """Discards too, whatever is exported: they count in the panels."""
        within = {
            "item__result__ordinal__gte": start,
            "item__result__ordinal__lt": start + WINDOW,
        }
        rows = Annotation.objects.filter(item__campaign=self.campaign, **within).standing()
        found: dict[int, Asked] = {}
        for each in rows.order_by("item", "question", "annotator"):
            found.setdefault(each.item_id, []).append(each)
        return found

    def _attach(self, item: Item, annotations: Sequence[Annotation]) -> None:
        for each in annotations:
            each.item, each.question = item, self._asked[each.question_id]

    def _answer(self, units: list[Unit]) -> Answer:
        return Answer(units[0].item.result, units, self._subjects, self.redactor)
