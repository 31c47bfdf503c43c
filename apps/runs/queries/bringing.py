"""Which rules a dataset brings along, told before a run of it is started."""

import orjson

from apps.contract import Contract
from apps.datasets import subjects
from apps.datasets.models import DatasetVersion
from apps.grading.combining import own

LOOKED_AT = 20


class Brought(Contract):
    """Of the first records: how many there are, bring rules of their own, and ask a judge."""

    records: int = 0
    with_rules: int = 0
    asking: int = 0
    of_the_dataset: int = 0

    @property
    def anything(self) -> bool:
        return bool(self.with_rules or self.of_the_dataset)


def brought_by(version: DatasetVersion) -> Brought:
    """One query for the first records, and the head of the dataset."""
    payloads = version.records.order_by("ordinal").values_list("payload", flat=True)[:LOOKED_AT]
    given = [subjects.given(orjson.loads(payload)) for payload in payloads]
    head = own(subjects.of_dataset(version.header))
    ruled = [(*head, *own(each.dataset), *own(each.record)) for each in given]
    return Brought(
        records=len(given),
        with_rules=sum(len(rules) > len(head) for rules in ruled),
        asking=sum(any(rule.judge_names for rule in rules) for rules in ruled),
        of_the_dataset=len(head),
    )
