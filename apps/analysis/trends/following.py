"""What a trend follows: what was asked for, and where nobody says, the most runs that are alike."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.http import Http404

from apps.accounts.models import User, Workspace
from apps.runs.queries import targets_that_ran

from .choosing import NO_CONTRACT, Choice, Counted, datasets_with_runs
from .offering import FEWEST, Found, Offered, counted, found_for, grounds, offered
from .parts import Part, fullest, key_of
from .series import Series, series_of
from .wanted import Offer, TrendWanted


@dataclass(frozen=True)
class Choices:
    """What the runs of the dataset leave to choose from."""

    datasets: Sequence[Choice]
    targets: Sequence[Choice]
    versions: Sequence[Choice]
    contracts: Sequence[Choice]
    judges: Sequence[Choice]


@dataclass(frozen=True)
class Followed:
    """`wanted` as it is answered, `lacks` what of it was not to be had.

    `alone` is the part that `series` shows where the runs that were asked for are not all alike,
    and nobody wants them together. `parts` are all of those with the runs that a trend takes,
    `short_parts` counts the others.
    """

    wanted: TrendWanted
    lacks: Sequence[str]
    choices: Choices
    offered: Offered
    series: Series
    alone: Part | None
    parts: Sequence[Part]
    short_parts: int
    runs: int
    offers: Sequence[Offer]

    @property
    def is_mixed(self) -> bool:
        """Whether the runs that were asked for are unlike."""
        return bool(self.parts or self.short_parts)

    @property
    def others(self) -> list[Part]:
        return [part for part in self.parts if part is not self.alone]


def follow(user: User, workspace: Workspace, wish: TrendWanted) -> Followed:
    """404 where the dataset is not to be seen, or there is no such; of the rest what was wished
    for where it can be had, else what goes without saying."""
    datasets = datasets_with_runs(user, workspace)
    counts = counted(user, workspace, wish)
    dataset = _dataset(wish.dataset, datasets, counts)
    if wish.dataset not in ("", dataset):
        raise Http404("There is no run of this dataset, or you may not see it.")
    asked, found, choices = _asked(user, workspace, _with(wish, dataset=dataset), datasets)
    whole = shown = _seen(found, asked)
    alone = None if asked.mixed else fullest(whole.series.parts, FEWEST)
    if alone:
        narrowed = ground_wanted(whole.wanted, alone)
        shown = _seen(found_for(user, workspace, narrowed), narrowed)
    wanted = _with(asked, metric=shown.wanted.metric, slice=shown.wanted.slice)
    parts = [part for part in whole.series.parts if len(part.points) >= FEWEST]
    return Followed(
        wanted=wanted,
        lacks=wish.lacks(wanted),
        choices=choices,
        offered=shown.offered,
        series=shown.series,
        alone=alone,
        parts=parts,
        short_parts=len(whole.series.parts) - len(parts),
        runs=len(whole.series.points) + whole.series.older,
        offers=_offers_of(wanted, whole.series, datasets, counts),
    )


def ground_wanted(wanted: TrendWanted, part: Part) -> TrendWanted:
    """The same of the runs of this part alone."""
    ground = part.newest.ground
    return _with(
        wanted,
        target=ground.target,
        version=ground.version,
        contract=ground.contract or NO_CONTRACT,
        judges=key_of(ground.judges),
        mixed="",
    )


def _asked(
    user: User, workspace: Workspace, wish: TrendWanted, datasets: Sequence[Choice]
) -> tuple[TrendWanted, Found, Choices]:
    """What of the filters can be had, the runs that they leave, and what else there is."""
    targets = targets_that_ran(user, workspace)
    versions, contracts = grounds(user, workspace, wish)
    asked = _with(
        wish,
        target=_any_of(targets, wish.target),
        version=_any_of(versions, wish.version),
        contract=_any_of(contracts, wish.contract),
        since=wish.since if wish.moment else "",
    )
    found = found_for(user, workspace, asked)
    asked = _with(asked, judges=_any_of(found.choices, asked.judges))
    return asked, found, Choices(datasets, targets, versions, contracts, found.choices)


@dataclass(frozen=True)
class _Seen:
    wanted: TrendWanted
    offered: Offered
    series: Series


def _seen(found: Found, asked: TrendWanted) -> _Seen:
    offer = offered(found.runs)
    metric = _any_of(offer.metrics, asked.metric) or offer.usual
    wanted = _with(asked, metric=metric, slice=_any_of(offer.slices, asked.slice))
    return _Seen(wanted, offer, series_of(found, metric=metric, slice_=wanted.slice))


def _with(wanted: TrendWanted, **answered: str) -> TrendWanted:
    return wanted.model_copy(update=answered)


def _any_of(choices: Sequence[Choice], wish: str) -> str:
    """The wish where it is among the choices, else none."""
    return wish if any(wish == key for key, _ in choices) else ""


def _dataset(wish: str, datasets: Sequence[Choice], counts: Sequence[Counted]) -> str:
    """The wish where it can be had, else the dataset with the fullest trend; empty without any."""
    known = dict(datasets)
    if wish in known:
        return wish
    return next((each.dataset for each in counts if each.dataset in known), next(iter(known), ""))


def _offers_of(
    wanted: TrendWanted, series: Series, datasets: Sequence[Choice], counts: Sequence[Counted]
) -> list[Offer]:
    """Where fewer runs than a trend takes are shown: others that there are."""
    if len(series.points) >= FEWEST:
        return []
    runs = {each.dataset: each.runs for each in counts}
    return list(_offers(wanted, len(series.points), dict(datasets), runs))


def _offers(
    wanted: TrendWanted, shown: int, names: dict[str, str], runs: dict[str, int]
) -> Iterator[Offer]:
    unfiltered = {"target": "", "version": "", "contract": "", "judges": "", "from": ""}
    here = runs.get(wanted.dataset, 0)
    if here > shown:
        yield Offer(wanted.query(**unfiltered), f"{here:,} runs of {names[wanted.dataset]}")
    if not here and wanted.dataset in names:
        again = wanted.query(**unfiltered, regrades="on")
        yield Offer(again, f"the regrades of {names[wanted.dataset]}")
    full = (key for key, n in runs.items() if n >= FEWEST and key != wanted.dataset)
    best = next((key for key in full if key in names), None)
    if best and here < FEWEST:
        elsewhere = wanted.query(**unfiltered, dataset=best, slice="", metric="")
        yield Offer(elsewhere, f"{runs[best]:,} runs of {names[best]}")
