"""Filling a fresh data directory with the example, by the services that people's doors call."""

import json
from pathlib import Path

from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.datasets import uploads
from apps.datasets.contracts import Options
from apps.datasets.formats import FORMATS
from apps.datasets.naming import version_named
from apps.datasets.reading import DEFAULT_FORMAT
from apps.grading import services as grading
from apps.runs import naming, starting
from apps.runs.contracts import StartOptions
from apps.runs.models import Run
from apps.targets import services as targets

from . import parties

HERE = Path(__file__).parent
DATASETS = {
    "support-desk": HERE / "support-desk.json",
    "returns-questions": HERE / "returns-with-mistakes.json",
}
DESK = "support-desk"


def seed(workspace: Workspace) -> bool:
    """Add what is missing, the run that takes longest last; False where all was there."""
    if workspace.runs.filter(idempotency_key=_key(parties.SLOW_ASSISTANT)).exists():
        return False
    add_parts(workspace)
    start(workspace, parties.ASSISTANT, parties.JUDGED, "Support desk, judged")
    start(workspace, parties.SLOW_ASSISTANT, parties.EXACT, "Slow assistant, word for word")
    return True


def add_parts(workspace: Workspace) -> None:
    """What runs are made of: datasets, targets, grading contracts."""
    ada, alice = (User.objects.get(username=name) for name in ("ada", "alice"))
    _add_datasets(workspace, alice)
    _add_examples(workspace, alice)
    _add_targets(workspace, ada)
    _add_contracts(workspace, alice)


def start(workspace: Workspace, target: str, contract: str, name: str) -> Run:
    """Alice starts a run with the questions of the support desk; once for each target."""
    order = starting.order_for(
        workspace=workspace,
        version=version_named(workspace, DESK),
        target=naming.target_named(workspace, target),
        contract=naming.contract_named(workspace, contract),
        judge=naming.target_named(workspace, parties.JUDGE),
        options=StartOptions(name=name, note=_note(target), idempotency_key=_key(target)),
        by=User.objects.get(username="alice"),
        via="command",
    )
    return starting.start_run(order, now=timezone.now())


def _add_datasets(workspace: Workspace, by: User) -> None:
    for name, path in DATASETS.items():
        if not workspace.datasets.filter(name=name).exists():
            uploads.accept_document(
                workspace=workspace,
                chunks=[path.read_bytes()],
                filename=path.name,
                by=by,
                via="command",
            )


def _add_examples(workspace: Workspace, by: User) -> None:
    """The template of every other format; what is about answers goes to the example of pairs."""
    for dialect in sorted(FORMATS.values(), key=lambda each: each.purpose != "dataset"):
        name = f"Example: {dialect.title}"
        if dialect.id == DEFAULT_FORMAT or workspace.uploads.filter(format=dialect.id).exists():
            continue
        about_answers = dialect.purpose in ("annotations", "scores")
        uploads.accept_document(
            workspace=workspace,
            chunks=[dialect.template],
            filename=dialect.template_name,
            by=by,
            options=Options(
                format=dialect.id,
                dataset_name="" if dialect.purpose != "dataset" else name,
                on=f"Example: {FORMATS['pairs'].title}" if about_answers else "",
            ),
            via="command",
        )


def _add_targets(workspace: Workspace, by: User) -> None:
    for name, spec in parties.targets(_mistakes()).items():
        if not workspace.targets.filter(name=name).exists():
            targets.create_target(workspace=workspace, name=name, spec=spec, by=by, via="command")


def _add_contracts(workspace: Workspace, by: User) -> None:
    for name, spec in parties.contracts().items():
        if not workspace.contracts.filter(name=name).exists():
            grading.create_contract(
                workspace=workspace,
                name=name,
                spec=spec,
                by=by,
                now=timezone.now(),
                via="command",
            )


def _mistakes() -> dict[str, str]:
    """The wrong answers by prompt."""
    wrong: dict[str, str] = json.loads((HERE / "mistakes.json").read_text(encoding="utf-8"))
    records = json.loads(DATASETS[DESK].read_text(encoding="utf-8"))["records"]
    prompts = {record["record_id"]: record["input"]["prompt"] for record in records}
    return {prompts[record_id]: answer for record_id, answer in wrong.items()}


def _key(target: str) -> str:
    return f"demo-{target}"


def _note(target: str) -> str:
    if target == parties.SLOW_ASSISTANT:
        return "Example: a script answers 12 records a minute, so that there is a run to watch."
    return "Example: a script answers and a script judges. No model was asked."
