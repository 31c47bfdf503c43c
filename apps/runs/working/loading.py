"""What a worker needs to work on a chunk: records, parties, contract and redactor."""

import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass

from apps.artifacts import store
from apps.artifacts.redaction import Redactor
from apps.datasets import prompting, subjects
from apps.datasets.models import Upload
from apps.grading.combining import OwnRules
from apps.grading.spec import ContractSpec
from apps.jobs.leases import Lease
from apps.runs.contracts import Plan, SettingsPlan
from apps.runs.engine.evaluating import Evaluator
from apps.runs.engine.items import Item, Memory, Party
from apps.runs.models import Chunk, Run, RunTarget
from apps.targets.adapters import open_adapter, read_answers
from apps.targets.credentials import SecretMissingError, read_secret
from apps.targets.specs import RecordedSpec, TargetSpec, parse_spec

from .cache import Remembered, says_the_same_again
from .gathering import imported_beside, items_of
from .pacing import pace_of
from .sheets import Sheet


@dataclass(frozen=True, slots=True)
class NamedTarget:
    """Somebody to ask: the spec, and whose rate limit it counts against."""

    target_id: str
    version_id: str
    spec_sha256: str
    spec: TargetSpec


@dataclass(slots=True)
class Work:
    """All of one chunk; a regrade asks no target."""

    items: list[Item]
    slots: int
    sheet: Sheet
    target: NamedTarget
    judges: Mapping[str, NamedTarget]
    contract: ContractSpec | None
    dataset_rules: OwnRules
    settings: SettingsPlan
    answers: Mapping[str, str]
    regrades: bool

    @asynccontextmanager
    async def evaluator(
        self, enough: Callable[[], bool] = lambda: False
    ) -> AsyncIterator[Evaluator]:
        """The evaluator with its connections open; they belong to this process and loop."""
        async with AsyncExitStack() as stack:
            target = None
            if not self.regrades:
                target = await stack.enter_async_context(self._party(self.target, self.slots))
            judges = {
                name: await stack.enter_async_context(
                    self._party(judge, self._share(judge), self._memory(judge))
                )
                for name, judge in self.judges.items()
            }
            yield Evaluator(
                target=target,
                judges=judges,
                spec=self.contract,
                dataset_rules=self.dataset_rules,
                settings=self.settings,
                note=self.sheet.note,
                of_the_data=is_of_the_data(self.target.spec),
                enough=enough,
            )

    def _share(self, judge: NamedTarget) -> int:
        """A judge's concurrency, divided among the chunks that may run at once."""
        chunks = max(1, self.settings.concurrency // self.settings.slots)
        return max(1, judge.spec.concurrency // chunks)

    def _memory(self, judge: NamedTarget) -> Memory | None:
        if not says_the_same_again(judge.spec):
            return None
        note, redactor = self.sheet.remember, self.sheet.redactor
        return Remembered(judge.version_id, judge.spec_sha256, redactor, note)

    @asynccontextmanager
    async def _party(
        self, named: NamedTarget, concurrency: int, memory: Memory | None = None
    ) -> AsyncIterator[Party]:
        spec = named.spec.model_copy(update={"concurrency": concurrency})
        pace = pace_of(named.target_id, getattr(spec, "requests_per_minute", None))
        async with open_adapter(spec, answers=self.answers) as adapter:
            yield Party(adapter, pace, spec.max_attempts, spec.converses, memory)


def load(run: Run, chunk: Chunk, lease: Lease) -> Work:
    """Everything that the chunk needs from the database; records with a result are left out."""
    plan = Plan.model_validate(run.plan)
    target, judges = named_targets(run)
    redactor = redactor_of(run, [target, *judges.values()])
    items = items_of(run, chunk)
    regrades = run.kind == Run.Kind.REGRADE
    return Work(
        items=items,
        slots=plan.settings.slots,
        sheet=Sheet(
            run=run,
            lease=lease,
            redactor=redactor,
            target_version_id=target.version_id,
            held=chunk.held,
            written=len(chunk.items) - len(items),
            beside=imported_beside(run, items),
        ),
        target=target,
        judges=judges,
        contract=contract_of(run),
        dataset_rules=subjects.of_dataset(run.dataset_version.header),
        settings=plan.settings,
        answers={} if regrades else answers_of(run, target, items),
        regrades=regrades,
    )


def named_targets(run: Run) -> tuple[NamedTarget, dict[str, NamedTarget]]:
    """Who answers by default, and the judges by the name that rules call them."""
    rows = run.targets.select_related("target_version")
    named = {
        (row.role, row.name if not row.is_default else ""): NamedTarget(
            row.target_version.target_id,
            row.target_version_id,
            row.target_version.spec_sha256,
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


def is_of_the_data(spec: TargetSpec) -> bool:
    """Whether the answers came with the records, as their format has them."""
    return isinstance(spec, RecordedSpec) and spec.source == "data"


def answers_of(run: Run, target: NamedTarget, items: Iterable[Item]) -> Mapping[str, str]:
    """By record id: of an answers file, or of the items themselves."""
    spec = target.spec
    source = spec.source if isinstance(spec, RecordedSpec) else ""
    if is_of_the_data(spec):
        return {item.record_id: prompting.answer_of(item.payload) or "" for item in items}
    if source != "answers" or run.answers is None:
        return {}
    return read_answers(_bytes_of(run.answers), run.answers.options.get("candidate", ""))


def _secrets(spec: TargetSpec) -> Iterator[str]:
    for name in spec.secret_names:
        with suppress(SecretMissingError):
            yield read_secret(name, os.environ)


def _bytes_of(upload: Upload) -> bytes:
    main = upload.files.get(role="main")
    with store.open(main.blob_id) as file:
        return file.read()
