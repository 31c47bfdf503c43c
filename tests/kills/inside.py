"""What runs inside an installation, in a process of its own: `Installation.call` starts it."""

import json
from typing import Any

from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.analysis.gates.messages.addresses import add_webhook
from apps.datasets.contracts import Options
from apps.datasets.models import DatasetVersion
from apps.datasets.uploading import uploads
from apps.grading.services import create_contract, parse_spec
from apps.runs.beginning.regrading import Regrade, regrade
from apps.runs.beginning.starting import order_for, start_run
from apps.runs.models import Run
from apps.targets.models import Target
from apps.targets.services import create_target
from apps.targets.specs import OpenAIChatSpec, RecordedSpec
from tests.analysis.gates import building as gates

RULES = [
    {"type": "exact_match", "name": "exact"},
    {"type": "token_f1", "name": "words", "blocking": False},
]


def set_up(records: int, base_url: str, **spec: Any) -> str:
    """Everything that a run needs, and a run that waits for workers."""
    prepare(records, base_url, **spec)
    return begin()


def prepare(records: int, base_url: str, **spec: Any) -> None:
    """A workspace with a dataset of sums, a target on the model server and a contract."""
    workspace = Workspace.objects.create(slug="demo", name="Demo")
    rows = [_sum(number) for number in range(records)]
    document = {
        "dataset_id": "sums",
        "dataset_version": "1",
        "schema_version": "1.0",
        "records": rows,
    }
    raw = json.dumps(document).encode()
    uploads.accept_document(workspace=workspace, chunks=[raw], filename="sums.json", by=None)
    create_target(
        workspace=workspace,
        name="assistant",
        spec=OpenAIChatSpec(base_url=base_url, model="test-model", timeout_s=10, **spec),
        by=None,
    )
    create_contract(
        workspace=workspace,
        name="quality",
        spec=parse_spec({"rules": RULES}),
        by=None,
        now=timezone.now(),
    )


def set_up_sessions(records: int, base_url: str, **spec: Any) -> str:
    """A run of scenarios of three inputs each that waits for workers."""
    prepare(1, base_url, **spec)
    rows = [_scenario(number) for number in range(records)]
    raw = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    uploads.accept_document(
        workspace=Workspace.objects.get(),
        chunks=[raw],
        filename="talks.jsonl",
        by=None,
        options=Options(format="scenarios"),
    )
    return begin(DatasetVersion.objects.get(format="scenarios").pk)


def set_up_recorded(records: int) -> str:
    """A run of answers that the records hold, which waits for workers."""
    prepare(records, "http://127.0.0.1:9/v1")
    workspace = Workspace.objects.get()
    recorded = create_target(workspace=workspace, name="recorded", spec=RecordedSpec(), by=None)
    return begin(target=recorded.name)


def begin(version: str = "", target: str = "assistant") -> str:
    workspace = Workspace.objects.get()
    contract = workspace.contracts.get().versions.get()
    order = order_for(
        workspace=workspace,
        version=DatasetVersion.objects.get(**({"pk": version} if version else {})),
        target=Target.objects.get(name=target),
        contract=contract,
    )
    return start_run(order, now=timezone.now()).pk


def begin_regrade(parent: str) -> str:
    """A regrade of the run by its own contract."""
    run = Run.objects.get(pk=parent)
    return regrade(Regrade(run, run.contract_version), now=timezone.now()).pk


def decide_and_tell(url: str, secret_name: str) -> None:
    """A gate says something of a run, and an address is to be told."""
    workspace = Workspace.objects.create(slug="demo", name="Demo")
    ada = User.objects.create_user("ada")
    add_webhook(workspace=workspace, url=url, secret_name=secret_name, by=ada)
    gates.a_decision(gates.a_run(workspace, 20, 20), gates.a_policy(workspace))


def nothing() -> None:
    """The command itself has migrated."""


def _scenario(number: int) -> dict[str, Any]:
    return {
        "scenario_id": f"talk-{number:04d}",
        "labels": ["talk"],
        "user_inputs": [f"Talk {number}: what is {number} plus {turn}?" for turn in range(1, 4)],
        "expected_outcomes": {},
        "risk_class": "low",
    }


def _sum(number: int) -> dict[str, Any]:
    return {
        "record_id": f"q_{number:05d}",
        "input": {"prompt": f"Question {number}: what is {number} plus {number % 7}?"},
        "reference": {"answer": str(number + number % 7)},
        "tags": [f"group-{number % 5}"],
    }
