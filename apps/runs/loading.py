"""What a worker needs to work on a chunk: records, parties, contract and redactor."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil

import orjson
from asgiref.sync import sync_to_async

from apps.artifacts import store
from apps.artifacts.redaction import Redactor
from apps.datasets import prompting
from apps.datasets.models import Upload
from apps.grading.spec import ContractSpec
from apps.jobs.leases import Lease
from apps.jobs.models import MAX_DELIVERIES
from apps.targets import services as targets
from apps.targets.adapters import open_adapter, read_answers
from apps.targets.credentials import SecretMissingError, read_secret
from apps.targets.specs import RecordedSpec, TargetSpec, parse_spec

from .contracts import Held, Plan, SettingsPlan
from .evaluating import Evaluator, Item, Pace, Party
from .models import Chunk, Result, Run, RunTarget
from .sheets import Sheet


@dataclass(frozen=True, slots=True)
class NamedTarget:
    """Somebody to ask: the spec, and whose rate limit it counts against."""

    target_id: str
    version_id: str
    spec: TargetSpec


@dataclass(slots=True)
class Work:
    """All of one chunk."""

    items: list[Item]
    slots: int
    sheet: Sheet
    target: NamedTarget
    judges: Mapping[str, NamedTarget]
    contract: ContractSpec | None
    settings: SettingsPlan
    answers: Mapping[str, str]

    @asynccontextmanager
    async def evaluator(self) -> AsyncIterator[Evaluator]:
        """The evaluator with its connections open; they belong to this process and loop."""
        async with AsyncExitStack() as stack:
            target = await stack.enter_async_context(self._party(self.target, self.slots))
            judges = {
                name: await stack.enter_async_context(self._party(judge, self._share(judge)))
                for name, judge in self.judges.items()
            }
            yield Evaluator(
                target=target,
                judges=judges,
                spec=self.contract,
                settings=self.settings,
                note=self.sheet.note,
            )

    def _share(self, judge: NamedTarget) -> int:
        """A judge's concurrency, divided among the chunks that may run at once."""
        chunks = max(1, self.settings.concurrency // self.settings.slots)
        return max(1, judge.spec.concurrency // chunks)

    @asynccontextmanager
    async def _party(self, named: NamedTarget, concurrency: int) -> AsyncIterator[Party]:
        spec = named.spec.model_copy(update={"concurrency": concurrency})
        async with open_adapter(spec, answers=self.answers) as adapter:
            yield Party(adapter, pace_of(named), spec.max_attempts)


def load(run: Run, chunk: Chunk, lease: Lease) -> Work:
    """Everything that the chunk needs from the database; records with a result are left out."""
    plan = Plan.model_validate(run.plan)
    target, judges = named_targets(run)
    redactor = redactor_of(run, [target, *judges.values()])
    items = _items(run, chunk)
    return Work(
        items=items,
        slots=plan.settings.slots,
        sheet=Sheet(
            run=run,
            lease=lease,
            redactor=redactor,
            target_version_id=target.version_id,
            held=chunk.held,
        ),
        target=target,
        judges=judges,
        contract=contract_of(run),
        settings=plan.settings,
        answers=answers_of(run, target, items),
    )


def named_targets(run: Run) -> tuple[NamedTarget, dict[str, NamedTarget]]:
    """Who answers by default, and the judges by the name that rules call them."""
    rows = run.targets.select_related("target_version")
    named = {
        (row.role, row.name if not row.is_default else ""): NamedTarget(
            row.target_version.target_id,
            row.target_version_id,
            parse_spec(row.target_version.spec),
        )
        for row in rows
    }
    judges = {name: each for (role, name), each in named.items() if role == RunTarget.Role.JUDGE}
    return named[RunTarget.Role.TARGET, ""], judges


def contract_of(run: Run) -> ContractSpec | None:
    version = run.contract_version
    return None if version is None else version.parsed


def redactor_of(run: Run, parties: list[NamedTarget]) -> Redactor:
    """Secrets always, those in use by their value too; personal data where the workspace asks."""
    known = [value for party in parties for value in _secrets(party.spec)]
    return Redactor(personal=run.workspace.redacts_personal_data, known=known)


def answers_of(run: Run, target: NamedTarget, items: Iterable[Item]) -> Mapping[str, str]:
    """By record id: of an answers file, or of the items themselves."""
    spec = target.spec
    source = spec.source if isinstance(spec, RecordedSpec) else ""
    if source == "data":
        return {item.record_id: prompting.answer_of(item.payload) or "" for item in items}
    if source != "answers" or run.answers is None:
        return {}
    return read_answers(_bytes_of(run.answers), run.answers.options.get("candidate", ""))


def pace_of(named: NamedTarget) -> Pace:
    """Waits for the next call that the target's rate limit grants to this process."""
    per_minute = getattr(named.spec, "requests_per_minute", None)
    if per_minute is None:
        return _no_wait
    return Turns(named.target_id, per_minute).wait


class Turns:
    """Turns to call, fetched from the database for about a second at a time."""

    def __init__(self, target_id: str, per_minute: int) -> None:
        self._target_id = target_id
        self._per_minute = per_minute
        self._block = max(1, ceil(per_minute / 60))
        self._turns: list[datetime] = []
        self._lock = asyncio.Lock()

    async def wait(self) -> None:
        """Wait in line: who holds no turn yet fetches none, so none is lost when time is over."""
        async with self._lock:
            if not self._turns:
                await self._fetch()
            wait = (self._turns[0] - datetime.now(UTC)).total_seconds()
            if wait > 0:
                await asyncio.sleep(wait)
            self._turns.pop(0)

    async def _fetch(self) -> None:
        start = await sync_to_async(targets.grant)(
            self._target_id, calls=self._block, per_minute=self._per_minute
        )
        apart = timedelta(minutes=1) / self._per_minute
        self._turns = [start + apart * number for number in range(self._block)]


def _secrets(spec: TargetSpec) -> Iterator[str]:
    for name in spec.secret_names:
        with suppress(SecretMissingError):
            yield read_secret(name, os.environ)


async def _no_wait() -> None:
    return None


def _items(run: Run, chunk: Chunk) -> list[Item]:
    ordinals = [ordinal for ordinal, _trial in chunk.items]
    finished = set(
        Result.objects.filter(run=run, ordinal__in=ordinals).values_list("ordinal", "trial")
    )
    rows = run.dataset_version.records.filter(ordinal__in=ordinals)
    records = {row[0]: row[1:] for row in rows.values_list("ordinal", "pk", "record_id", "payload")}
    items = []
    for ordinal, trial in chunk.items:
        if (ordinal, trial) not in finished:
            pk, record_id, payload = records[ordinal]
            held = Held.model_validate(chunk.held.get(f"{ordinal}.{trial}", {}))
            items.append(Item(ordinal, trial, pk, record_id, orjson.loads(payload), held))
    return _turned(items, chunk.deliveries)


def _turned(items: list[Item], deliveries: int) -> list[Item]:
    """Begin elsewhere each time: a record that kills its worker does not take the others along."""
    first = len(items) * (deliveries - 1) // MAX_DELIVERIES
    return items[first:] + items[:first]


def _bytes_of(upload: Upload) -> bytes:
    main = upload.files.get(role="main")
    with store.open(main.blob_id) as file:
        return file.read()
