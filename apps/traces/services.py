"""Keeping what was found out about evidence."""

from apps.accounts.models import User, Workspace
from apps.accounts.services import record as audit
from apps.accounts.services.audit import Via
from apps.datasets.formats.building import clean, clean_text

from .evidence import Checked
from .models import EvidenceManifest


def keep_evidence(
    *, workspace: Workspace, checked: Checked, by: User | None, via: Via = "command"
) -> EvidenceManifest:
    """Note a manifest that was checked, with its faults. The artifacts stay where they are."""
    kept = EvidenceManifest.objects.create(
        workspace=workspace,
        issuer=clean(checked.issuer)[:200],
        subject=clean(checked.subject)[:200],
        measured_at=checked.measured_at,
        signals={clean(name): _storable(value) for name, value in checked.signals.items()},
        diagnostics=[
            {name: clean_text(text) for name, text in each._asdict().items()}
            for each in checked.diagnostics
        ],
        sha256=checked.sha256,
        created_by=by,
    )
    audit(workspace=workspace, actor=by, verb="checked evidence", obj=kept, via=via)
    return kept


def _storable(value: object) -> object:
    return clean_text(value) if isinstance(value, str) else value
