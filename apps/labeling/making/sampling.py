"""Which answers are labelled: drawn by chance with a known probability, or chosen. Pure.

Who is drawn depends on the candidates and the seed alone.
"""

from collections import defaultdict
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from apps.contract import Contract
from apps.labeling.plans import How, Sample


class Candidate(NamedTuple):
    """An answer that may be drawn.

    `distance` says how far it is from being in doubt; None where nothing speaks for choosing it.
    """

    key: int
    stratum: str = ""
    distance: float | None = None


class Draw(NamedTuple):
    """An answer of the sample; its probability is None where chance had no part in it."""

    key: int
    probability: float | None
    stratum: str = ""


class Stratum(Contract):
    """A slice that a stratified sample was drawn from."""

    value: str
    answers: int
    drawn: int


class LeftOut(Contract):
    reason: str
    count: int


class TaskCount(Contract):
    """What a task has of the sample: its items, those for everybody, and why some have none."""

    task: str
    title: str
    items: int
    calibration: int
    without: int
    missing: str = ""


class Drawn(Contract):
    """What became of a sample: of `answers` answers `drawn` were taken.

    `gold` hidden items were added of `gold_wanted`: fewer where no more are known.
    """

    how: How
    answers: int
    eligible: int
    drawn: int
    gold: int = 0
    gold_wanted: int = 0
    strata: tuple[Stratum, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    tasks: tuple[TaskCount, ...] = ()

    @property
    def words(self) -> str:
        return _WORDS[self.how]

    @property
    def lacks_gold(self) -> str:
        """Why fewer are hidden than were wanted; '' where all are."""
        return NO_MORE_GOLD if self.gold < self.gold_wanted else ""


NO_MORE_GOLD = "No more answers to these questions are gold outside of the sample."

_WORDS: dict[How, str] = {
    "all": "All answers",
    "random": "Drawn at random",
    "stratified": "Drawn at random from every slice",
    "disagreement": "Chosen where judge and rule, or judges, disagree",
    "low_confidence": "Chosen where scores are nearest to their threshold",
}


def draw(candidates: Sequence[Candidate], sample: Sample) -> list[Draw]:
    """The sample in the order of its keys.

    `all`: each with probability 1; `random`: n of N with n/N; `stratified`: in proportion, at
    least one of each stratum, with n_h/N_h; else those nearest to doubt, with None.
    """
    ordered = sorted(candidates, key=lambda each: each.key)
    found = _taken(ordered, sample, Random(sample.seed))  # noqa: S311
    return sorted(found, key=lambda each: each.key)


def eligible(candidates: Sequence[Candidate], sample: Sample) -> int:
    """How many could have been taken."""
    if sample.is_random:
        return len(candidates)
    return sum(each.distance is not None for each in candidates)


def shares(sizes: Sequence[int], wanted: int) -> list[int]:
    """How many of each stratum: in proportion by the largest remainders, at least one of each.

    Where fewer are wanted than there are strata, one of each all the same.
    """
    total = sum(sizes)
    wanted = min(max(wanted, len(sizes)), total)
    exact = [size * wanted / total for size in sizes]
    taken = [min(size, max(1, int(part))) for size, part in zip(sizes, exact, strict=True)]
    while (rest := wanted - sum(taken)) != 0:
        step = 1 if rest > 0 else -1
        places = [place for place in range(len(sizes)) if _may(taken, sizes, place, step)]
        nearest = max(places, key=lambda place: step * (exact[place] - taken[place]))
        taken[nearest] += step
    return taken


def _taken(candidates: list[Candidate], sample: Sample, chance: Random) -> list[Draw]:
    size = len(candidates) if sample.size is None else min(sample.size, len(candidates))
    if sample.how == "stratified" and candidates:
        return _stratified(candidates, size, chance)
    if sample.is_random:
        return _random(candidates, size, chance)
    return _nearest(candidates, size, chance)


def _random(candidates: list[Candidate], size: int, chance: Random) -> list[Draw]:
    probability = size / len(candidates) if candidates else None
    return [Draw(each.key, probability, each.stratum) for each in chance.sample(candidates, size)]


def _stratified(candidates: list[Candidate], size: int, chance: Random) -> list[Draw]:
    strata: dict[str, list[Candidate]] = defaultdict(list)
    for each in candidates:
        strata[each.stratum].append(each)
    ordered = [strata[value] for value in sorted(strata)]
    taken = shares([len(stratum) for stratum in ordered], size)
    pairs = zip(ordered, taken, strict=True)
    return [draw for stratum, n in pairs for draw in _random(stratum, n, chance)]


def _nearest(candidates: list[Candidate], size: int, chance: Random) -> list[Draw]:
    """Of those that are equally near, some by chance."""
    near = [(each.distance, chance.random(), each) for each in candidates if _counts(each)]
    return [Draw(each.key, None, each.stratum) for _near, _chance, each in sorted(near)[:size]]


def _counts(candidate: Candidate) -> bool:
    return candidate.distance is not None


def _may(taken: Sequence[int], sizes: Sequence[int], place: int, step: int) -> bool:
    return 1 <= taken[place] + step <= sizes[place]
