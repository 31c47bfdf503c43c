"""Filling a fresh data directory with the example, by the services that people's doors call."""

import json
from pathlib import Path
from typing import NamedTuple

import orjson
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.datasets import prompting
from apps.datasets.contracts import Options
from apps.datasets.formats import FORMATS
from apps.datasets.naming import version_named
from apps.datasets.uploading import uploads
from apps.datasets.uploading.reading import DEFAULT_FORMAT
from apps.grading import services as grading
from apps.jobs.asking import done_here
from apps.jobs.models import OPEN
from apps.runs.beginning import naming, starting
from apps.runs.contracts import StartOptions
from apps.runs.models import Run
from apps.targets import services as targets

from . import labelling, parties

HERE = Path(__file__).parent
DATASETS = {
    "support-desk": HERE / "support-desk.json",
    "returns-questions": HERE / "returns-with-mistakes.json",
}
DESK = "support-desk"
ANSWERED = ("legal_eval_v1", "agentv")
"""The formats whose examples are asked too."""
NOBODY_ASKED = "Example: a script answers and a script judges. No model was asked."


class Start(NamedTuple):
    """A run of the example; `contract` None: the rules that came with the data decide."""

    target: str
    contract: str | None
    name: str
    dataset: str = DESK
    note: str = NOBODY_ASKED
    pilot: bool = False
    trials: int = 1
    release: str = ""

    @property
    def who(self) -> str:
        return f"{self.target}-{self.release}" if self.release else self.target


def seed(workspace: Workspace) -> None:
    """Add what is missing, the run that takes longest last; labels came after the rest."""
    begun = started(workspace, runs()[-1])
    if not begun:
        add_parts(workspace)
    labelling.seed(workspace)
    for wanted in () if begun else runs():
        start(workspace, wanted)


def add_parts(workspace: Workspace) -> None:
    """What runs are made of: datasets, targets, grading contracts."""
    ada, alice = (User.objects.get(username=name) for name in ("ada", "alice"))
    _finish_uploads(workspace)
    _add_datasets(workspace, alice)
    _add_examples(workspace, alice)
    _add_targets(workspace, ada)
    _add_contracts(workspace, alice)


def start(workspace: Workspace, wanted: Start) -> Run:
    """Alice starts a run; once for each target, release and dataset."""
    contract = naming.contract_named(workspace, wanted.contract) if wanted.contract else None
    order = starting.order_for(
        workspace=workspace,
        version=version_named(workspace, wanted.dataset),
        target=naming.target_named(workspace, wanted.target),
        contract=contract,
        judge=naming.target_named(workspace, parties.JUDGE),
        options=StartOptions(
            name=wanted.name,
            note=wanted.note,
            pilot=wanted.pilot,
            trials=wanted.trials,
            idempotency_key=_key(wanted.who, wanted.dataset),
        ),
        by=User.objects.get(username="alice"),
        via="command",
    )
    return starting.start_run(order, now=timezone.now())


def started(workspace: Workspace, wanted: Start) -> Run | None:
    """Where an earlier start of the example came as far as this."""
    return workspace.runs.filter(idempotency_key=_key(wanted.who, wanted.dataset)).first()


def example_name(format_id: str) -> str:
    return f"Example: {FORMATS[format_id].title}"


def runs() -> tuple[Start, ...]:
    """The one that takes longest last."""
    legal, cases = (example_name(each) for each in ANSWERED)
    return (
        Start(parties.ASSISTANT, parties.JUDGED, "Support desk, judged"),
        Start(
            parties.WAVERING_ASSISTANT,
            parties.REFERENCE,
            "Ten questions, three tries each",
            pilot=True,
            trials=3,
        ),
        Start(parties.EXAMPLES_ASSISTANT, parties.LEGAL, "Legal, each by its task type", legal),
        Start(parties.EXAMPLES_ASSISTANT, None, "Cases, by their own assertions", cases),
        Start(
            parties.SLOW_ASSISTANT,
            parties.EXACT,
            "Slow assistant, word for word",
            note="Example: a script answers 12 records a minute, so that there is a run to watch.",
        ),
    )


def _finish_uploads(workspace: Workspace) -> None:
    """What an earlier start was killed amid: no worker is there yet that would."""
    for left in workspace.uploads.filter(state__in=OPEN).order_by("pk"):
        done_here(left)


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
        name = example_name(dialect.id)
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
                on=example_name("pairs") if about_answers else "",
            ),
            via="command",
        )


def _add_targets(workspace: Workspace, by: User) -> None:
    for name, spec in parties.targets(mistakes(), _answers(workspace)).items():
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


def mistakes() -> dict[str, str]:
    """The wrong answers by prompt."""
    wrong: dict[str, str] = json.loads((HERE / "mistakes.json").read_text(encoding="utf-8"))
    records = json.loads(DATASETS[DESK].read_text(encoding="utf-8"))["records"]
    prompts = {record["record_id"]: record["input"]["prompt"] for record in records}
    return {prompts[record_id]: answer for record_id, answer in wrong.items()}


def _answers(workspace: Workspace) -> dict[str, str]:
    """What the scripted assistant says to the examples of other formats, by prompt."""
    said: dict[str, str] = json.loads((HERE / "answers.json").read_text(encoding="utf-8"))
    answers = {}
    for format_id in ANSWERED:
        records = version_named(workspace, example_name(format_id)).records
        for record_id, payload in records.values_list("record_id", "payload"):
            answers[prompting.messages(orjson.loads(payload))[-1].content] = said[record_id]
    return answers


def _key(target: str, dataset: str = DESK) -> str:
    return f"demo-{target}" if dataset == DESK else f"demo-{target}-{dataset}"
