"""The manifest of an export: labels of what, as of when, for whom; the seal lists the files."""

from collections.abc import Mapping

from apps import VERSION
from apps.artifacts.redaction import Redactor
from apps.runs.documents.manifest import dataset_fields

from .files import Row
from .of_datasets import moment
from .source import Source


def manifest_of(source: Source, rows: Mapping[str, int], told: Row) -> Row:
    """What people wrote is redacted like any artifact."""
    export, campaign, read = source.export, source.campaign, Redactor(personal=True)
    by = export.created_by
    return {
        "export_id": export.pk,
        "form": export.form,
        "include_discarded": export.include_discarded,
        "campaign": {
            "campaign_id": campaign.pk,
            "name": read.text(campaign.name),
            "kind": campaign.kind,
            "state": campaign.state,
            "consensus": campaign.consensus,
            "plan": read.value(campaign.plan),
        },
        "run_id": campaign.run_id,
        **dataset_fields(campaign.run),
        "counts": {"rows": dict(rows), **told},
        "evalhub_version": VERSION,
        "created_at": moment(export.created_at),
        "as_of": moment(source.as_of),
        "created_by": by.get_username() if by else None,
    }
