"""Which rules judge an answer, read once for all records that bring the same. Pure."""

from collections.abc import Collection

from apps.datasets.subjects import Given
from apps.grading.combining import NO_RULES, OwnRules, in_force
from apps.grading.spec import ContractSpec, RuleSet

MOST_KEPT = 64


class Rules:
    """The rules in force for each record: its own, its dataset's and the contract's.

    `dataset` are those that the head of the whole document brings; formats that put a dataset's
    rules into each of its records say them there.
    """

    def __init__(
        self,
        spec: ContractSpec | None,
        judges: Collection[str],
        *,
        dataset: OwnRules = NO_RULES,
        of_the_data: bool = True,
    ) -> None:
        self._spec = spec
        self._dataset = dataset
        self._judges = judges
        self._of_the_data = of_the_data
        self._read: dict[str, RuleSet] = {}

    def of(self, given: Given) -> RuleSet | None:
        """None where there are no rules at all."""
        dataset = given.dataset if given.dataset is not NO_RULES else self._dataset
        alone = given.record is NO_RULES and dataset is NO_RULES
        if alone or not self._of_the_data:
            return self._spec
        rules = self._in_force(dataset, given.record)
        return rules if rules.rules else None

    def _in_force(self, dataset: OwnRules, record: OwnRules) -> RuleSet:
        """Reading rules costs more than judging by them, and most records bring the same."""
        key = repr((dataset, record))
        if key not in self._read:
            if len(self._read) >= MOST_KEPT:
                self._read.clear()
            self._read[key] = in_force(self._spec, dataset, record, judges=self._judges)
        return self._read[key]
