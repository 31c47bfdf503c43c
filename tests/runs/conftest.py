"""Runs for real: a stored version, targets on the model server, contracts, and the engine here."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import orjson
import pytest
from django.apps import apps
from django.conf import LazySettings, settings
from django.db.models import Model
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.artifacts import store
from apps.datasets.models import DatasetVersion
from apps.datasets.uploading import uploads
from apps.grading.models import ContractVersion
from apps.grading.services import create_contract
from apps.grading.spec import ContractSpec
from apps.jobs import services as jobs
from apps.jobs.leases import Lease, claim
from apps.jobs.models import Job, JobState
from apps.runs.beginning.starting import order_for, start_run
from apps.runs.contracts import StartOptions
from apps.runs.models import TERMINAL, Chunk, Run, RunStep
from apps.targets.models import Target
from apps.targets.services import create_target
from apps.targets.specs import parse_spec
from tests.model_server.handle import model_server, shared_model_server

from . import building
from .pages import assistant, judged, opened, recorded, tickets

__all__ = ["model_server", "shared_model_server"]
__all__ += ["assistant", "judged", "opened", "recorded", "tickets"]

Document = dict[str, Any]
MakeVersion = Callable[..., DatasetVersion]
MakeTarget = Callable[..., Target]
MakeContract = Callable[..., ContractVersion]
Start = Callable[..., Run]
AnyJob = TypeVar("AnyJob", bound=Job)
AnyRow = TypeVar("AnyRow", bound=Model)

EXACT = {"type": "exact_match", "name": "exact"}
JUDGE = {"type": "criteria_judge", "name": "judge", "default_criteria": ["accuracy"]}


@pytest.fixture(autouse=True)
def own_files(settings: LazySettings, tmp_path: Path) -> None:
    settings.FILES_DIR = tmp_path / "files"


@pytest.fixture
def as_alice(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


@pytest.fixture
def ended(workspace: Workspace, alice: User) -> Run:
    """A run that has ended, for pages: rows alone, nobody was asked."""
    version = building.make_version(workspace, 100, rejected=4)
    return building.ended_run(workspace, by=alice, version=version, name="v14 prompt")


def sums(n: int) -> list[Document]:
    """Records that the model server can answer: sums, tagged even or odd by turns."""
    return [
        record(
            f"q_{number:04d}",
            f"What is {number} plus 1?",
            str(number + 1),
            tags=["odd" if number % 2 else "even"],
        )
        for number in range(n)
    ]


def record(record_id: str, prompt: str, answer: str | None = None, **more: Any) -> Document:
    reference = {} if answer is None else {"reference": {"answer": answer}}
    return {"record_id": record_id, "input": {"prompt": prompt}, **reference, **more}


def document(records: Sequence[Any], name: str = "sums", label: str = "1") -> bytes:
    return orjson.dumps(
        {
            "dataset_id": name,
            "dataset_version": label,
            "schema_version": "1.0",
            "records": records,
        }
    )


@pytest.fixture
def make_version(workspace: Workspace) -> MakeVersion:
    """A version by the real upload: of n sums, or of the records given."""

    def make(
        n: int = 10, records: Sequence[Any] | None = None, name: str = "sums"
    ) -> DatasetVersion:
        upload = uploads.accept_document(
            workspace=workspace,
            chunks=[document(sums(n) if records is None else records, name)],
            filename=f"{name}.json",
            by=None,
        )
        assert upload.version is not None, upload.outcome
        return upload.version

    return make


@pytest.fixture
def make_target(workspace: Workspace) -> MakeTarget:
    """A target of any kind; scripted and always right unless told otherwise."""

    def make(name: str = "assistant", kind: str = "scripted", **fields: Any) -> Target:
        if kind == "scripted":
            fields = {"wrong_rate": 0, **fields}
        if kind == "openai_chat":
            fields = {"model": "test-model", **fields}
        spec = parse_spec({"kind": kind, **fields})
        return create_target(workspace=workspace, name=name, spec=spec, by=None)

    return make


@pytest.fixture
def make_contract(workspace: Workspace) -> MakeContract:
    def make(*rules: Document, name: str = "quality") -> ContractVersion:
        spec = ContractSpec.model_validate({"rules": list(rules) or [EXACT]})
        contract = create_contract(
            workspace=workspace, name=name, spec=spec, by=None, now=timezone.now()
        )
        return contract.versions.get()

    return make


@pytest.fixture
def start(workspace: Workspace, make_version: MakeVersion, make_target: MakeTarget) -> Start:
    """A run as the doors start it; ten sums asked of a scripted target unless told otherwise."""

    def begin(
        version: DatasetVersion | None = None,
        target: Target | None = None,
        contract: ContractVersion | None = None,
        **more: Any,
    ) -> Run:
        parts = {name: more.pop(name) for name in ("judge", "by", "answers") if name in more}
        order = order_for(
            workspace=workspace,
            version=version or make_version(),
            target=target or make_target(),
            contract=contract,
            options=StartOptions(**more),
            **parts,
        )
        return start_run(order, now=timezone.now())

    return begin


def drain(*runs: Run, seconds: float = 60) -> Run:
    """Work in this process until the runs have ended; the first of them as it is then.

    Nobody waits for a backoff: what is to be asked later is due at once.
    """
    deadline = time.monotonic() + seconds

    def ended() -> bool:
        assert time.monotonic() < deadline, [run.state for run in runs]
        pass_time()
        for run in runs:
            run.refresh_from_db()
        return all(run.state in TERMINAL for run in runs)

    jobs.work_here(ended)
    return runs[0]


def pass_time() -> None:
    """As if every backoff were over."""
    waiting = Chunk.objects.filter(state=JobState.PENDING, not_before__gt=Now())
    waiting.update(not_before=Now())


def prepare(run: Run) -> Run:
    """The run with its chunks cut, as the first job leaves it."""
    work_on(run.steps.get(name=RunStep.Name.PREPARE))
    run.refresh_from_db()
    return run


def work_on(job: AnyJob) -> AnyJob:
    """One delivery of a job; the row as it is then."""
    jobs.perform(lease_of(job))
    return again(job)


def lease_of(job: Job) -> Lease:
    lease = claim(type(job), job.pk)
    assert lease is not None, f"{job} is {again(job).state}"
    return lease


def expire(job: Job) -> None:
    """As if the worker had been silent for long."""
    rows = type(job)._default_manager.filter(pk=job.pk)
    rows.update(lease_until=Now() - timedelta(hours=1))


def again(row: AnyRow) -> AnyRow:
    """The row as it is now."""
    return type(row)._default_manager.get(pk=row.pk)


def points(run: Run, family: str = "", value: str = "") -> dict[str, Any]:
    """The stored numbers of the run or of one slice by metric."""
    rows = run.summaries.filter(family=family, value=value)
    return dict(rows.values_list("metric", "point"))


def statuses(run: Run) -> dict[str, int]:
    """How many results there are by status."""
    return dict(Counter(run.results.values_list("status", flat=True)))


def everything_stored() -> str:
    """All that any table holds and all that any artifact says, as text."""
    rows = [
        str(list(model._base_manager.values_list()))
        for model in apps.get_models()
        if model._meta.managed
    ]
    files = [file.read_bytes().decode("utf-8", "replace") for file in _files()]
    return "\n".join([*rows, *files])


def _files() -> list[Path]:
    return [file for file in Path(settings.FILES_DIR).rglob("*") if file.is_file()]


def artifact(run: Run, name: str) -> Any:
    """What an artifact of the run says: its document, or the list of its rows."""
    assert run.bundle is not None
    raw = b"".join(store.read(run.bundle.artifacts.get(name=name).sha256))
    if name.endswith(".jsonl"):
        return [orjson.loads(line) for line in raw.splitlines()]
    return orjson.loads(raw)
