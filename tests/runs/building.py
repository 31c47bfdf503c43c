"""Runs made quickly for tests of pages: real rows of every table, summaries by the real code."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from typing import Any

from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.artifacts import bundles
from apps.artifacts.canonical import sha256_hex
from apps.datasets.models import Dataset, DatasetVersion, Facet, FacetMember, Record
from apps.datasets.queries import records_digest
from apps.grading.models import ContractVersion
from apps.grading.rules import ExactMatch, MaxLatency, TokenF1
from apps.grading.services import create_contract
from apps.grading.spec import AtLeast, AtMostMs, ContractSpec, Thresholds
from apps.jobs.models import JobState
from apps.runs.beginning.starting import Order, start_run
from apps.runs.contracts import StartOptions
from apps.runs.ending.summaries import metrics_of, store_summaries
from apps.runs.models import Attempt, Chunk, Result, Run, RunState, RunStep, Score, StateChange
from apps.targets.models import Target
from apps.targets.services import create_target
from apps.targets.specs import ScriptedSpec, TargetSpec

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
LANGUAGES = ("English", "German", "French", "Japanese", "Turkish", "Czech")
BATCH = 2_000


@dataclass(frozen=True)
class Outcome:
    """What becomes of a record: a status with its cause, or the verdict of an answer."""

    status: str = "completed"
    cause: str = ""
    verdict: str = ""
    detail: str = ""


PASSED = Outcome(verdict="passed")
FAILED_CONTRACT = Outcome(verdict="failed")
UNJUDGED = Outcome(verdict="unjudged")
TIMED_OUT = Outcome("timeout", "timeout", detail="No answer within 30 s.")
BROKEN = Outcome("evaluation_error", "invalid_response", detail="The body is not JSON.")
SKIPPED = Outcome("cancelled", "cancelled")
EVERY_OUTCOME = (PASSED, PASSED, FAILED_CONTRACT, UNJUDGED, TIMED_OUT, BROKEN, SKIPPED)
MIX = (*[PASSED] * 14, *[FAILED_CONTRACT] * 3, UNJUDGED, TIMED_OUT, BROKEN)


def make_version(
    workspace: Workspace, records: int = 10, *, name: str = "tickets", rejected: int = 0
) -> DatasetVersion:
    """A version with slices by tag, language, channel and length."""
    dataset, _ = Dataset.objects.get_or_create(workspace=workspace, name=name)
    number = dataset.versions.count() + 1
    version = DatasetVersion.objects.create(
        dataset=dataset,
        label=f"1.{number}.0",
        format="contract_v1",
        identity=sha256_hex(f"{name} {number}".encode()),
        header={"dataset_id": name, "dataset_version": f"1.{number}.0", "schema_version": "1.0"},
        records_sha256=sha256_hex(b""),
        total=records + rejected,
        accepted=records,
        rejected=rejected,
    )
    Record.objects.bulk_create(
        (_record(version, ordinal) for ordinal in range(records)), batch_size=BATCH
    )
    _make_slices(version, records)
    DatasetVersion.objects.filter(pk=version.pk).update(records_sha256=records_digest(version))
    version.refresh_from_db()
    return version


def make_target(
    workspace: Workspace, name: str = "assistant", spec: TargetSpec | None = None
) -> Target:
    found = Target.objects.filter(workspace=workspace, name=name).first()
    chosen = spec or ScriptedSpec(price_input=1.0, price_output=4.0, max_attempts=1)
    return found or create_target(workspace=workspace, name=name, spec=chosen, by=None)


def make_contract(workspace: Workspace, name: str = "quality") -> ContractVersion:
    spec = ContractSpec(
        rules=(
            ExactMatch(name="exact"),
            TokenF1(name="token_f1", threshold=0.5, blocking=False),
            MaxLatency(name="latency", blocking=False, weight=0),
        ),
        thresholds=Thresholds(
            pass_rate=AtLeast(at_least=0.8), latency_p95_ms=AtMostMs(at_most=1_800)
        ),
    )
    found = ContractVersion.objects.filter(contract__workspace=workspace, contract__name=name)
    if not found:
        create_contract(workspace=workspace, name=name, spec=spec, by=None, now=START)
    return found.get()


def demanding_contract(workspace: Workspace) -> ContractVersion:
    """A contract with every threshold that there is, and a record that must always pass."""
    spec = ContractSpec.model_validate(
        {
            "rules": [{"type": "exact_match", "name": "exact"}],
            "trials": "pass_all",
            "thresholds": {
                "score": {"at_least": 0.7},
                "pass_rate": {"at_least": 0.7, "by": "point"},
                "worst_slice": {"at_least": 0.6},
                "failure_rate": {"at_most": 0.05, "by": "upper"},
                "latency_p95_ms": {"at_most": 1_800},
                "cost": {"at_most": 0.001, "by": "upper"},
            },
        }
    )
    made = create_contract(workspace=workspace, name="demanding", spec=spec, by=None, now=START)
    return made.versions.get()


def queued_run(workspace: Workspace, by: User | None = None, **more: Any) -> Run:
    """A run as the start form leaves it."""
    options = {
        name: more.pop(name)
        for name in ("name", "note", "pilot", "trials", "cost_cap")
        if name in more
    }
    order = Order(
        workspace=workspace,
        version=more.pop("version", None) or make_version(workspace),
        target=(more.pop("target", None) or make_target(workspace)).current,
        contract=more.pop("contract", None) or make_contract(workspace),
        options=StartOptions(**options),
        by=by,
        **more,
    )
    return start_run(order, now=timezone.now())


def running_run(
    workspace: Workspace, outcomes: Sequence[Outcome] = (), by: User | None = None, **more: Any
) -> Run:
    """A run under way with these results; two chunks are open, one of them a retry."""
    run = queued_run(workspace, by, **more)
    began = timezone.now() - timedelta(seconds=63)
    _go_to(run, RunState.RUNNING, began, started_at=began)
    _store_results(run, outcomes, began)
    rest = run.planned - len(outcomes)
    target = run.targets.get(is_default=True, role="target").target_version.target
    Chunk.objects.create(run=run, target=target, seq="0", items=[], total=rest, done=0)
    Chunk.objects.create(
        run=run,
        target=target,
        seq="1.0",
        items=[],
        total=min(2, rest),
        not_before=timezone.now() + timedelta(seconds=6),
    )
    Chunk.objects.create(
        run=run,
        target=target,
        seq="1",
        items=[],
        total=len(outcomes),
        done=len(outcomes),
        state=JobState.DONE,
    )
    return run


def ended_run(
    workspace: Workspace, outcomes: Iterable[Outcome] = MIX, by: User | None = None, **more: Any
) -> Run:
    """A run that has ended; the outcomes are repeated over its tries, record by record."""
    run = queued_run(workspace, by, **more)
    given = list(islice(cycle(outcomes), run.planned))
    began = START
    _store_results(run, given, began)
    skipped = any(outcome.status == "cancelled" for outcome in given)
    failed = any(outcome.status != "completed" for outcome in given)
    state = RunState.COMPLETED_WITH_FAILURES if failed else RunState.COMPLETED
    if skipped:
        state = RunState.CANCELLED
        Run.objects.filter(pk=run.pk).update(cancel_requested_at=began)
    ended = began + timedelta(seconds=83)
    _go_to(run, RunState.RUNNING, began)
    _go_to(run, state, ended, started_at=began, completed_at=ended)
    store_summaries(run, metrics_of(run), as_of=ended)
    return run


def with_judge(run: Run, name: str, number: int = 1) -> None:
    """As if a judge had been chosen for the run, whether or not a rule asks it."""
    named = {"name": name, "number": number, "version": f"tgv_{name}_{number}"}
    judge = {**run.plan["targets"][0], "role": "judge", **named}
    plan = {**run.plan, "targets": [*run.plan["targets"], judge]}
    Run.objects.filter(pk=run.pk).update(plan=plan)
    run.refresh_from_db()


def _go_to(run: Run, state: RunState, at: datetime, **columns: Any) -> None:
    RunStep.objects.filter(run=run).delete()
    seq = run.state_changes.count()
    StateChange.objects.create(run=run, seq=seq, state=state, at=at)
    if state is RunState.RUNNING or "completed_at" in columns:
        Run.objects.filter(pk=run.pk).update(state=state, **columns) if columns else None
    run.refresh_from_db()


def _record(version: DatasetVersion, ordinal: int) -> Record:
    record_id = f"ticket-{ordinal:05d}"
    prompt = f"Ticket {ordinal}: which queue does it belong to? " + "The customer writes. " * 12
    payload = json.dumps(
        {
            "record_id": record_id,
            "input": {"prompt": prompt, "context": "Queues: billing, technical."},
            "reference": {"answer": f"billing {ordinal % 7}"},
            "expected": {"max_latency_ms": 2_000},
        }
    )
    return Record(
        version=version,
        ordinal=ordinal,
        record_id=record_id,
        kind="prompt",
        sha256=sha256_hex(payload.encode()),
        input_sha256=sha256_hex(prompt.encode()),
        payload=payload,
        head=prompt[:200],
        offset=0,
        length=len(payload),
    )


def _make_slices(version: DatasetVersion, records: int) -> None:
    families = {
        "length": ["short", "long"],
        "metadata.channel": ["mail", "chat", "phone"],
        "metadata.language": list(LANGUAGES),
        "tag": [f"tag-{number:02d}" for number in range(min(60, max(1, records // 5)))],
        "task_type": ["classification"],
    }
    for family, values in families.items():
        for place, value in enumerate(values):
            ordinals = range(place, records, len(values))
            facet = Facet.objects.create(
                version=version, family=family, value=value, n=len(ordinals)
            )
            FacetMember.objects.bulk_create(
                (FacetMember(facet=facet, ordinal=ordinal) for ordinal in ordinals),
                batch_size=BATCH,
            )


def _store_results(run: Run, outcomes: Sequence[Outcome], began: datetime) -> None:
    keys = dict(run.dataset_version.records.values_list("ordinal", "pk"))
    target = run.targets.get(is_default=True, role="target").target_version_id
    places = ((divmod(place, run.trials), outcome) for place, outcome in enumerate(outcomes))
    results = Result.objects.bulk_create(
        (
            _result(run, keys[ordinal], (ordinal, trial), outcome, target, began)
            for (ordinal, trial), outcome in places
        ),
        batch_size=BATCH,
    )
    Attempt.objects.bulk_create(
        (_attempt(result) for result in results if result.status != "cancelled"), batch_size=BATCH
    )
    judged = (result for result in results if result.status == "completed")
    Score.objects.bulk_create(
        (score for result in judged for score in _scores(result)), batch_size=BATCH
    )


def _result(
    run: Run, record: int, place: tuple[int, int], outcome: Outcome, target: str, began: datetime
) -> Result:
    ordinal, trial = place
    answered, asked = outcome.status == "completed", outcome.status != "cancelled"
    latency = 200 + (ordinal * 7919) % 1_900
    return Result(
        run=run,
        record_id=record,
        ordinal=ordinal,
        trial=trial,
        target_version_id=target if asked else None,
        status=outcome.status,
        cause=outcome.cause,
        detail=outcome.detail,
        verdict=outcome.verdict if answered else "",
        score={"passed": 1.0, "failed": 0.2}.get(outcome.verdict) if answered else None,
        response=f"billing {ordinal % 7}. " + "Because the customer says so. " * 8
        if answered
        else "",
        latency_ms=latency if answered else None,
        input_tokens=90 if answered else None,
        output_tokens=40 if answered else None,
        total_tokens=130 if answered else None,
        cost=0.00025 if answered else None,
        attempts=int(asked),
        first_attempt_at=began if asked else None,
        last_attempt_at=began + timedelta(milliseconds=ordinal) if asked else None,
        extra={"model": "scripted", "finish_reason": "stop"} if answered else None,
    )


def _attempt(result: Result) -> Attempt:
    return Attempt(
        run_id=result.run_id,
        ordinal=result.ordinal,
        trial=result.trial,
        number=1,
        started_at=result.first_attempt_at or START,
        latency_ms=result.latency_ms,
        error_code=result.cause,
        detail=result.detail,
        input_tokens=result.input_tokens,
        output_tokens=result.output_tokens,
        cost=result.cost,
        model="scripted",
    )


def _scores(result: Result) -> list[Score]:
    value = {"passed": 1.0, "failed": 0.0}.get(result.verdict)
    verdict = {"passed": "pass", "failed": "fail"}.get(result.verdict, "skip")
    common = {"run_id": result.run_id, "result": result, "method": "code"}
    f1 = 0.9 if result.verdict == "passed" else 0.3
    return [
        Score(
            rule="exact",
            value=value,
            verdict=verdict,
            reason="" if value is not None else "The record has no reference.",
            verifier="exact_match@1",
            **common,
        ),
        Score(
            rule="token_f1",
            value=f1,
            verdict="pass" if f1 >= 0.5 else "warn",
            verifier="token_f1@1",
            raw={"precision": f1, "recall": f1},
            **common,
        ),
        Score(rule="latency", value=1.0, verdict="pass", verifier="max_latency@1", **common),
    ]


def kept_run(
    workspace: Workspace, outcomes: Iterable[Outcome] = MIX, by: User | None = None, **more: Any
) -> Run:
    """An ended run whose artifacts are written and sealed, two files of them."""
    run = ended_run(workspace, outcomes, by, **more)
    bundle = bundles.open_bundle(workspace=workspace, kind="run")
    Run.objects.filter(pk=run.pk).update(bundle=bundle)
    bundles.write_artifact(bundle, "metrics_summary.json", [b'{"run_id": "x"}\n'], tier="summary")
    bundles.write_artifact(
        bundle, "predictions.jsonl", [b'{"record_id": "a"}\n'], tier="raw", rows=1
    )
    bundles.seal(bundle, {"run_id": run.pk}, START)
    run.refresh_from_db()
    return run
