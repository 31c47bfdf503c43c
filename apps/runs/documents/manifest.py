"""The manifest: what ran, with what, when; the seal lists the other artifacts in it."""

import orjson

from apps import VERSION
from apps.artifacts.redaction import Redactor
from apps.runs.models import Run, RunTarget
from apps.targets.specs import parse_spec

from .writing import Row, moment


def manifest_of(run: Run) -> Row:
    """What `run_manifest.json` says beside the list of the other artifacts.

    What people wrote (name, specs, rules) is redacted like any artifact; their hashes are not.
    """
    redactor = Redactor(personal=True)
    changes = run.state_changes.order_by("seq").values_list("state", "at", "reason")
    return {
        "run_id": run.pk,
        "parent_run_id": run.parent_id,
        "name": redactor.text(run.name),
        "kind": run.kind,
        "status": run.state,
        "reason": run.reason,
        **dataset_fields(run),
        "evalhub_version": VERSION,
        "plan": run.plan,
        "plan_sha256": run.plan_sha256,
        "models": [
            _model(row, redactor) for row in run.targets.select_related("target_version__target")
        ],
        "evaluator": _evaluator(run, redactor),
        "created_at": moment(run.created_at),
        "started_at": moment(run.started_at),
        "completed_at": moment(run.completed_at),
        "states": [
            {"state": state, "at": moment(at), "reason": reason} for state, at, reason in changes
        ],
        "created_by": run.created_by.get_username() if run.created_by else None,
        "request_id": run.request_id,
    }


def dataset_fields(run: Run) -> Row:
    version = run.dataset_version
    return {
        "dataset_id": version.header.get("dataset_id", version.dataset.name),
        "dataset_name": version.dataset.name,
        "dataset_version": version.label,
        "schema_version": version.header["schema_version"],
        "dataset_format": version.format,
        "records_sha256": version.records_sha256,
    }


def _model(row: RunTarget, redactor: Redactor) -> Row:
    """The exact model and how it was asked; never a secret, only the names of variables."""
    spec = parse_spec(row.target_version.spec).model_dump(mode="json")
    return {
        "role": row.role,
        "name": row.name,
        "target_version": row.target_version_id,
        "spec_sha256": row.target_version.spec_sha256,
        "model": spec.get("model", row.target_version.target.kind),
        "scripted": row.target_version.target.kind == "scripted",
        "settings": redactor.value(spec),
    }


def _evaluator(run: Run, redactor: Redactor) -> Row | None:
    version = run.contract_version
    if version is None:
        return None
    verifiers = run.scores.values_list("verifier", flat=True).distinct().order_by("verifier")
    return {
        "contract": version.contract.name,
        "contract_version": version.number,
        "contract_version_id": version.pk,
        "spec_sha256": version.spec_sha256,
        "verifiers": list(verifiers),
        "spec": redactor.value(orjson.loads(version.spec)),
    }
