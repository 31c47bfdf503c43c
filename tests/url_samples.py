"""An object behind every address with an id, and bodies where an empty one says too little.

When `test_permissions.py` names an address that lacks a sample, add it here: a function from the
workspace and the person who calls to the address's arguments (`slug` comes by itself).
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import Membership, User, Workspace
from apps.accounts.permissions import Role
from apps.datasets import uploads, variables
from apps.datasets.contracts import Options
from apps.datasets.formats import FORMATS
from apps.grading import services as grading
from apps.grading.starters import starter_spec
from apps.runs.recording import recorded_run
from apps.targets import services as targets
from apps.targets.specs import parse_spec as parse_target_spec
from apps.traces.models import Trace
from tests.datasets import legal
from tests.datasets.documents import a_version, accepted, document, record
from tests.datasets.pairs import pairs_version
from tests.runs import building

Sample = Callable[[Workspace, User], dict[str, Any]]


def _another_member(workspace: Workspace, user: User) -> dict[str, Any]:
    other = User.objects.create_user("dora")
    member = Membership.objects.create(workspace=workspace, user=other, role=Role.REVIEWER)
    return {"membership_id": member.pk}


def _invitation(workspace: Workspace, user: User) -> dict[str, Any]:
    made = services.invite(
        workspace=workspace,
        email="dora@example.org",
        role=Role.LEAD,
        invited_by=user,
        now=timezone.now(),
    )
    return {"invitation_id": made.invitation.pk}


def _token(workspace: Workspace, user: User) -> dict[str, Any]:
    made = services.create_token(
        user=user,
        workspace=workspace,
        name="nightly",
        lifetime=timedelta(days=1),
        now=timezone.now(),
        actor=user,
    )
    return {"token_id": made.token.pk}


def _target(workspace: Workspace, user: User) -> dict[str, Any]:
    spec = parse_target_spec({"kind": "scripted"})
    made = targets.create_target(workspace=workspace, name="model", spec=spec, by=user)
    return {"target_id": made.pk}


def _dataset(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"dataset_id": a_version(workspace).dataset_id}


def _dataset_version(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"version_id": a_version(workspace).pk}


def _dataset_record(workspace: Workspace, user: User) -> dict[str, Any]:
    return {**_dataset_version(workspace, user), "ordinal": 0}


def _scenarios(workspace: Workspace, user: User) -> dict[str, Any]:
    upload = accepted(workspace, FORMATS["scenarios"].template)
    return {"version_id": upload.version_id}


def _trace(workspace: Workspace, user: User) -> dict[str, Any]:
    accepted(workspace, FORMATS["trace"].template, options=Options(format="trace"))
    return {"trace_id": Trace.objects.filter(workspace=workspace).values_list("pk", flat=True)[0]}


def _upload(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"upload_id": accepted(workspace).pk}


def _two_versions(workspace: Workspace, user: User) -> dict[str, Any]:
    old = a_version(workspace)
    new = a_version(workspace, document(record(0), record(1, tags=["new"]), dataset_version="2"))
    return {"dataset_id": old.dataset_id, "from_id": old.pk, "to_id": new.pk}


def _dataset_of_two_versions(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"dataset_id": _two_versions(workspace, user)["dataset_id"]}


def _upload_to_map(workspace: Workspace, user: User) -> dict[str, Any]:
    content = b"number,question,reply\n1,Can I return a lamp?,Yes.\n"
    return {"upload_id": accepted(workspace, content, user, options=Options(format="pairs")).pk}


def _variable(workspace: Workspace, user: User) -> dict[str, Any]:
    return {
        "variable_id": variables.add(workspace=workspace, name="REGION", value="eu", by=user).pk
    }


def _format(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"format_id": "contract_v1"}


def _open_run(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"run_id": building.queued_run(workspace, by=user).pk}


def _ended_run(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"run_id": building.ended_run(workspace, by=user).pk}


def _legal_run(workspace: Workspace, user: User) -> dict[str, Any]:
    """Answers that came with rows of legal_eval_v1."""
    said = [{"role": "user", "content": "How?"}, {"role": "assistant", "content": "In writing."}]
    upload = uploads.accept_document(
        workspace=workspace,
        chunks=[legal.lines(legal.row(messages=said))],
        filename="legal.jsonl",
        by=user,
    )
    assert upload.version is not None
    return {"run_id": recorded_run(upload.version, by=user, now=timezone.now()).pk}


def _record_of_run(workspace: Workspace, user: User) -> dict[str, Any]:
    return {**_ended_run(workspace, user), "ordinal": 0}


def _pairs_version(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"version_id": pairs_version(workspace).pk}


def _result_of_run(workspace: Workspace, user: User) -> dict[str, Any]:
    return {**_ended_run(workspace, user), "index": 0}


def _artifact_of_run(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"run_id": building.kept_run(workspace, by=user).pk, "name": "run_manifest.json"}


def _kept_run(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"run_id": building.kept_run(workspace, by=user).pk}


def _contract(workspace: Workspace, user: User) -> dict[str, Any]:
    spec = starter_spec("exact")
    made = grading.create_contract(
        workspace=workspace, name="quality", spec=spec, by=user, now=timezone.now()
    )
    return {"contract_id": made.pk}


def _rule(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"rule_type": "exact_match"}


SAMPLES: dict[str, Sample] = {
    "labeling:annotations": _dataset_version,
    "runs:detail": _ended_run,
    "runs:cancel": _open_run,
    "runs:resume": _ended_run,
    "runs:retry": _ended_run,
    "runs:regrade": _ended_run,
    "runs:clone": _ended_run,
    "runs:archive": _ended_run,
    "runs:restore": _ended_run,
    "runs:results": _ended_run,
    "runs:export-csv": _ended_run,
    "runs:export-jsonl": _ended_run,
    "runs:export-judgments": _legal_run,
    "runs:record": _record_of_run,
    "runs:label": _record_of_run,
    "runs:recorded": _pairs_version,
    "runs:artifacts": _kept_run,
    "runs:artifacts-zip": _kept_run,
    "runs:artifact": _artifact_of_run,
    "accounts:member-role": _another_member,
    "accounts:member-remove": _another_member,
    "accounts:invitation-revoke": _invitation,
    "accounts:token-revoke": _token,
    "datasets:archive": _dataset,
    "datasets:detail": _dataset,
    "datasets:format-schema": _format,
    "datasets:format-template": _format,
    "datasets:issues-csv": _upload,
    "datasets:issues-jsonl": _upload,
    "datasets:readiness": _scenarios,
    "datasets:record": _dataset_record,
    "datasets:report": _upload,
    "datasets:restore": _dataset,
    "datasets:upload-again": _upload,
    "datasets:upload-cancel": _upload,
    "datasets:upload-mapping": _upload_to_map,
    "datasets:upload-status": _upload,
    "datasets:compare": _dataset_of_two_versions,
    "datasets:variable-change": _variable,
    "datasets:variable-delete": _variable,
    "datasets:version": _dataset_version,
    "datasets:version-download": _dataset_version,
    "api:dataset": _dataset,
    "api:dataset-archive": _dataset,
    "api:dataset-restore": _dataset,
    "api:dataset-versions": _dataset,
    "api:format-schema": _format,
    "api:format-template": _format,
    "api:records": _dataset_version,
    "api:upload": _upload,
    "api:upload-issues": _upload,
    "api:version": _dataset_version,
    "api:version-compare": _two_versions,
    "api:version-export": _dataset_version,
    "api:version-runs": _dataset_version,
    "api:version-recorded-run": _pairs_version,
    "api:run": _open_run,
    "api:run-cancel": _open_run,
    "api:run-resume": _ended_run,
    "api:run-retry": _ended_run,
    "api:run-regrade": _ended_run,
    "api:run-results": _ended_run,
    "api:result-labels": _result_of_run,
    "api:run-judgments": _legal_run,
    "api:run-attempts": _ended_run,
    "api:run-artifacts": _kept_run,
    "api:run-artifact": _artifact_of_run,
    "api:run-verify": _kept_run,
    "dashboards:try-contract": _contract,
    "grading:rule": _rule,
    "grading:detail": _contract,
    "grading:edit": _contract,
    "grading:diff": _contract,
    "grading:export-yaml": _contract,
    "grading:archive": _contract,
    "grading:restore": _contract,
    "traces:detail": _trace,
    "targets:detail": _target,
    "targets:edit": _target,
    "targets:test": _target,
    "targets:archive": _target,
    "targets:restore": _target,
    "api:contract": _contract,
    "api:contract-versions": _contract,
    "api:target": _target,
    "api:target-test": _target,
}

EXACT = {"rules": [{"type": "exact_match", "name": "exact"}]}

# What an allowed request sends: a dict for pages (form) and API (JSON).
BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("api:contracts", "POST"): {"name": "quality", "spec": EXACT},
    ("api:contract-versions", "POST"): {"spec": EXACT},
    ("runs:label", "POST"): {"primary": "other"},
    ("api:result-labels", "POST"): {"primary": "other"},
    ("api:targets", "POST"): {"name": "model", "spec": {"kind": "scripted"}},
    ("api:target", "PATCH"): {"name": "renamed"},
    ("accounts:members", "POST"): {"email": "dora@example.org", "role": "reviewer"},
    ("accounts:member-role", "POST"): {"role": "lead"},
    ("datasets:variables", "POST"): {"name": "REGION", "value": "eu"},
    ("accounts:tokens", "POST"): {"name": "nightly", "days": "30"},
}

# The addresses whose arguments name nothing of a workspace.
OF_NO_WORKSPACE = {
    "grading:rule",
    "datasets:format-schema",
    "datasets:format-template",
    "api:format-schema",
    "api:format-template",
}

# The addresses that need no sign-in. Think twice before you add one.
PUBLIC = {
    "health",
    "accounts:sign-in",
    "accounts:sign-out",
    "accounts:password-reset",
    "accounts:password-mailed",
    "accounts:password-choose",
    "accounts:password-chosen",
    "accounts:invitation",
}
