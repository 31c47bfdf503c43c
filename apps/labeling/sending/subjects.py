"""What there is to see of a stored answer: the subject that graders see too."""

import orjson

from apps.datasets import prompting, subjects
from apps.datasets.models import Record
from apps.grading.subjects import Subject
from apps.runs.contracts import Held
from apps.runs.engine.evaluating import subject_of as subject_of_item
from apps.runs.engine.items import Item
from apps.runs.models import Result, Run
from apps.runs.working.carrying import held_of
from apps.runs.working.loading import is_of_the_data, named_targets
from apps.targets.contracts import Reply


class Subjects:
    """Of results of any run; what is known of a run is looked up once."""

    def __init__(self) -> None:
        self._of_the_data: dict[str, bool] = {}

    def of(self, result: Result) -> Subject:
        """With the record and the run of the result at hand, else they are queries of their own."""
        held = held_of(result)
        return _subject(result.record, result.trial, held, self._is_of_the_data(result.run))

    def of_record(self, record: Record) -> Subject | None:
        """Of the answer that came with a record; None where none did."""
        answer = prompting.answer_of(orjson.loads(record.payload))
        if not answer or not answer.strip():
            return None
        return _subject(record, 0, Held(reply=Reply(text=answer)), of_the_data=True)

    def _is_of_the_data(self, run: Run) -> bool:
        """Whether records may tell how their answers were made: they came along with them."""
        if run.pk not in self._of_the_data:
            target, _judges = named_targets(run)
            self._of_the_data[run.pk] = is_of_the_data(target.spec)
        return self._of_the_data[run.pk]


def _subject(record: Record, trial: int, held: Held, of_the_data: bool) -> Subject:
    payload = orjson.loads(record.payload)
    item = Item(
        ordinal=record.ordinal,
        trial=trial,
        record_pk=record.pk,
        record_id=record.record_id,
        payload=payload,
        held=held,
    )
    return subject_of_item(item, subjects.given(payload), of_the_data)
