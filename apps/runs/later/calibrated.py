"""What people found of the judges of a run: the chapter that knows says so in `ready()`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from apps.metrics.contracts import Interval
from apps.runs.models import Run

VERDICT = ""
"""Instead of a rule's name: the verdict of the whole contract."""


@dataclass(frozen=True)
class Held:
    """What is known of a judge: labels that it was held against, and the corrected pass rate.

    `corrected` is of the run that is shown; None where correction does not apply. `why` says how
    it was corrected, or why not. `labels` is 0 where nobody has looked.
    """

    labels: int
    address: str = ""
    corrected: Interval | None = None
    why: str = ""


class Knows(Protocol):
    def __call__(
        self, runs: Sequence[Run], only: str | None = None
    ) -> Mapping[str, Mapping[str, Held]]:
        """By the run's id, then by the rule's name, the label of imported scores or `VERDICT`;
        `only` one of these names is wanted."""


_KNOWS: list[Knows] = []


def known_by(function: Knows) -> None:
    _KNOWS.append(function)


def held_against_people(run: Run) -> dict[str, Held]:
    """What in the run rests on judges; nothing where none was asked."""
    found = (knows([run]).get(run.pk, {}) for knows in _KNOWS)
    return {name: held for each in found for name, held in each.items()}


def verdicts_held(runs: Sequence[Run]) -> dict[str, Held]:
    """By the id of each run whose pass rate rests on judges."""
    found = [knows(runs, only=VERDICT) for knows in _KNOWS]
    return {
        run: names[VERDICT] for each in found for run, names in each.items() if VERDICT in names
    }
