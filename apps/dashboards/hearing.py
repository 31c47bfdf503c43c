"""Judges asked about a few answers while somebody waits; nothing of it is stored."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from asgiref.sync import async_to_sync

from apps.accounts.models import Workspace
from apps.grading.spec import Answers
from apps.runs.engine.items import Call, Item, Party
from apps.runs.engine.opinions import Opinions
from apps.runs.working.pacing import pace_of
from apps.targets.adapters import open_adapter
from apps.targets.models import Target, TargetVersion

from .trying import Tried

MOST = 5
SECONDS = 45.0
DEFAULT = ""


class CannotAsk(Exception):
    """Why no judge is asked, in a sentence."""


def hear(workspace: Workspace, shown: Sequence[Tried], chosen: Target | None) -> dict[int, Answers]:
    """What the judges say of the first answers that they are to be asked about, by ordinal.

    `chosen` is who judges where a rule names nobody. CannotAsk where a judge is missing. What is
    not said in time is left out.
    """
    asked = [each for each in shown if each.questions][:MOST]
    versions = _judges(workspace, asked, chosen)
    heard: dict[int, Answers] = async_to_sync(_hear)(asked, versions)
    return heard


def _judges(
    workspace: Workspace, asked: Sequence[Tried], chosen: Target | None
) -> dict[str, TargetVersion]:
    names = {question.judge for each in asked for _rule, question in each.questions}
    if DEFAULT in names and chosen is None:
        raise CannotAsk("Choose the target that judges.")
    active = Target.objects.filter(workspace=workspace, archived_at=None)
    named = {target.name: target for target in active.filter(name__in=names - {DEFAULT})}
    missing = sorted(names - {DEFAULT} - set(named))
    if missing:
        raise CannotAsk(f"A rule asks the judge {missing[0]}, but no target has that name.")
    found = {name: target.current for name, target in named.items()}
    return {**found, DEFAULT: chosen.current} if chosen is not None else found


async def _hear(
    asked: Sequence[Tried], versions: Mapping[str, TargetVersion]
) -> dict[int, Answers]:
    heard: dict[int, Answers] = {}
    async with AsyncExitStack() as stack:
        judges = {
            name: await stack.enter_async_context(_party(version))
            for name, version in versions.items()
        }
        opinions = Opinions(judges, _unnoted)
        tasks = [asyncio.create_task(_of(opinions, each, heard)) for each in asked]
        _done, late = await asyncio.wait(tasks, timeout=SECONDS) if tasks else (set(), set())
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return heard


async def _of(opinions: Opinions, each: Tried, heard: dict[int, Answers]) -> None:
    heard[each.item.ordinal] = await opinions.of(_afresh(each.item), each.rules, each.subject)


@asynccontextmanager
async def _party(version: TargetVersion) -> AsyncIterator[Party]:
    """One attempt a question: whoever waits may press again."""
    spec = version.parsed
    pace = pace_of(version.target_id, getattr(spec, "requests_per_minute", None))
    async with open_adapter(spec) as adapter:
        yield Party(adapter, pace, max_attempts=1)


def _afresh(item: Item) -> Item:
    return Item(item.ordinal, item.trial, item.record_pk, item.record_id, item.payload)


def _unnoted(_call: Call) -> None:
    """Attempts of a trial are kept nowhere."""
