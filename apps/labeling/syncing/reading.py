"""One pass over what people answered in a queue: matched with our rows, kept in batches."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice

from django.db.models import Max

from apps.labeling.desk.protocol import Desk, Response
from apps.labeling.models import Annotation, DeskRecord, Item
from apps.runs.working.rows import stored_value

from .answers import answer_of
from .contracts import Lost, Stray, Synced
from .keeping import keep
from .missing import Known, Missing, judge
from .sitting import Member, Pair, Place, Said, Sitting
from .writing import ANNOTATION_KEY, Key

BATCH = 500
_PREFIX = "item-"


class Reading:
    """`newest` is the moment of the newest answer read, `strays` are what cannot be kept.

    `lost` and `restored` are as in `Heard`.
    """

    def __init__(self, sitting: Sitting, place: Place, restored: datetime | None) -> None:
        self.place = place
        self.synced = Synced()
        self.newest = place.queue.seen_through
        self.strays: list[Stray] = []
        self._sitting = sitting
        self.lost = Lost()
        self.restored = restored
        self._seen: dict[Pair, datetime] = {}
        self._blank: Collection[Key] = ()

    def read(self, desk: Desk, since: datetime | None) -> None:
        """All answers, or at least those after a moment."""
        self._blank = _taken_back(self.place)
        queue, workspace = self.place.queue, self._sitting.campaign.desk_name
        responses = desk.responses(workspace, queue.dataset_id, since)
        while batch := list(islice(responses, BATCH)):
            self._take(batch)

    @property
    def found_anything(self) -> bool:
        """Drafts too: somebody is at work."""
        return self.synced.is_news or self.newest != self.place.queue.seen_through

    def take_back(
        self, desk: Desk, stood: Mapping[Pair, datetime], whole_through: datetime | None
    ) -> None:
        """What stood before all was read, and was not there, is taken back or lost."""
        gone = [(pair, moment) for pair, moment in stood.items() if pair not in self._seen]
        if not gone:
            return
        queue = self.place.queue
        verdict = judge(
            self._missing(gone),
            desk.there(queue.dataset_id),
            self._seen.values(),
            Known(queue.seen_through, whole_through),
            self.restored,
        )
        self.lost, self.restored = verdict.lost, verdict.restored
        taken_back = iter([gone[place] for place in verdict.taken_back])
        while batch := list(islice(taken_back, BATCH)):
            self._keep([_nothing(pair, moment) for pair, moment in batch])

    def _take(self, batch: Sequence[Response]) -> None:
        said = list(self._matched(batch))
        self._seen.update((each.pair, each.given_at) for each in said)
        self._keep(said)
        drafts = sum(each.answer is None for each in said)
        self.synced += Synced(drafts=drafts, unknown=len(batch) - len(said))
        self.newest = max(each for each in (self.newest, *_moments(batch)) if each)

    def _keep(self, said: Sequence[Said]) -> None:
        self.synced += keep(self._sitting, self.place, said, self._blank)
        if self._sitting.lease:
            self._sitting.lease.progress(len(self._seen), len(self._seen))

    def _matched(self, batch: Sequence[Response]) -> Iterator[Said]:
        items = _items(self.place, batch)
        for response in batch:
            item = items.get(response.external_id)
            member = self._sitting.members.get(response.person_id)
            if item and member:
                yield _said(item, member, response, self.place)
            else:
                self.strays.append(self._stray(response, "person" if item else "record"))

    def _missing(self, gone: Sequence[tuple[Pair, datetime]]) -> list[Missing]:
        """By the newest account of each person, and the record of each item."""
        people = {member.annotator: key for key, member in self._sitting.members.items()}
        items = {item for (item, _), _ in gone}
        records = DeskRecord.objects.filter(queue=self.place.queue, item__in=items)
        ids = {record.item_id: record.external_id for record in records}
        return [Missing(ids[item], people[name], moment) for (item, name), moment in gone]

    def _stray(self, response: Response, unknown: str) -> Stray:
        return Stray(
            response_id=response.id,
            queue=str(self.place.queue),
            external_id=response.external_id,
            person=response.person_id,
            unknown=unknown,
            status=response.status,
            values=stored_value(dict(response.values), self._sitting.redactor),
            given_at=response.updated_at,
        )


def standing(sitting: Sitting, place: Place) -> dict[Pair, datetime]:
    """Who has answered what in a queue, and when last; of the people who have an account."""
    rows = Annotation.objects.filter(
        item__desk_records__queue=place.queue,
        question__in=place.questions.values(),
        annotator__in={member.annotator for member in sitting.members.values()},
    ).standing()
    last = rows.values_list("item", "annotator").annotate(last=Max("annotated_at")).order_by()
    return {(item, annotator): moment for item, annotator, moment in last if moment}


def _taken_back(place: Place) -> set[Key]:
    rows = Annotation.objects.filter(
        item__desk_records__queue=place.queue,
        question__in=place.questions.values(),
        label="",
        discard_reason="",
    )
    return set(rows.values_list(*ANNOTATION_KEY))


def _items(place: Place, batch: Sequence[Response]) -> dict[str, Item]:
    """By the ids by which Argilla knows them."""
    names = {each.external_id.removeprefix(_PREFIX) for each in batch}
    keys = [int(name) for name in names if name.isdecimal()]
    records = DeskRecord.objects.filter(queue=place.queue, pk__in=keys).select_related("item")
    return {record.external_id: record.item for record in records}


def _said(item: Item, member: Member, response: Response, place: Place) -> Said:
    answer = answer_of(response, place.task, item.criteria)
    return Said(item, member, answer, response.inserted_at, response.updated_at)


def _nothing(pair: Pair, moment: datetime) -> Said:
    return Said(Item(pk=pair[0]), Member(pair[1], None), None, moment, moment)


def _moments(batch: Sequence[Response]) -> Iterator[datetime]:
    return (each.updated_at for each in batch)
