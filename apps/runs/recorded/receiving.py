"""What becomes of uploaded scores: rows on the recorded run of the version that they are about."""

from collections.abc import Collection, Iterable
from itertools import islice

import orjson
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from apps.artifacts.redaction import Redactor
from apps.datasets.contracts import Rejected
from apps.datasets.models import DatasetVersion, Record, Upload
from apps.datasets.naming import version_named
from apps.datasets.purposes import Received
from apps.datasets.uploading.reading import Kept, Reading
from apps.runs.models import Result, Run
from apps.runs.working.loading import redactor_of
from apps.runs.working.rows import stored, stored_value

from .imported import LONGEST_VERIFIER, Imported, write_scores
from .recording import recorded_run

RAW = ("metric_family", "score", "metadata")
"""What of a row no column of a Score says."""

TOLD = 5
CANDIDATES = 20
"""Versions that are looked through for the ids of a file, the newest first."""


def receive_scores(upload: Upload, reading: Reading) -> Received:
    """Write each score about its result; the same file again changes nothing."""
    run = run_about(upload, reading)
    reading.refuse_if_unfit(valid_only=bool(upload.options.get("valid_only")))
    rows = [orjson.loads(record.payload)["row"] for record in reading.records]
    results = results_by_record(run)
    redactor = redactor_of(run, [])
    counted = write_scores(run, (_score(row, results[row["id"]], upload, redactor) for row in rows))
    return Received(
        told=f"Scores of {run.dataset_version}: {counted.told}.",
        address=reverse("runs:detail", args=[upload.workspace.slug, run.pk]),
        version=run.dataset_version,
    )


def run_about(upload: Upload, reading: Reading) -> Run:
    """The recorded run of the version that the rows are about; raises Rejected.

    Rows about records that the version does not have are errors of the file: whether it is taken
    without them, the caller decides when it has told all others.
    """
    ids = {record.ordinal: _subject(record) for record in reading.records}
    version, unknown = _version_about(upload, set(ids.values()))
    why = f"{version} has no record {{}}: choose the dataset that the file is about."
    reasons = {ordinal: why.format(each) for ordinal, each in ids.items() if each in unknown}
    reading.turn_down(reasons, "unknown_id")
    reading.refuse_if_unfit(valid_only=True)
    return _recorded(version, upload)


def _recorded(version: DatasetVersion, upload: Upload) -> Run:
    try:
        return recorded_run(
            version,
            by=upload.created_by,
            now=timezone.now(),
            via=upload.via,  # type: ignore[arg-type]
            request_id=upload.request_id,
        )
    except ValidationError as error:
        raise Rejected(" ".join(error.messages), code="no_answers") from None


def _version_about(upload: Upload, ids: Collection[str]) -> tuple[DatasetVersion, set[str]]:
    """The version that the upload names, else the newest here that has the most of the ids; and
    the ids that it does not have."""
    if upload.options.get("on"):
        version = _named(upload)
        return version, _unknown(version, ids)
    found = [(version, _unknown(version, ids)) for version in _candidates(upload, ids)]
    if not found:
        raise _unknown_ids(ids)
    return min(found, key=lambda each: len(each[1]))


def _subject(record: Kept) -> str:
    return str(orjson.loads(record.payload)["row"]["id"])


def results_by_record(run: Run) -> dict[str, int]:
    """The key of each record's first result by the record's id."""
    rows = Result.objects.filter(run=run, trial=0)
    return dict(rows.values_list("record__record_id", "pk"))


def _named(upload: Upload) -> DatasetVersion:
    try:
        return version_named(upload.workspace, upload.options["on"])
    except ValidationError as error:
        raise Rejected(" ".join(error.messages), code="not_found") from None


def _candidates(upload: Upload, ids: Collection[str]) -> QuerySet[DatasetVersion]:
    """The versions with some of the ids, the newest first."""
    some = list(islice(sorted(ids), TOLD))
    having = Record.objects.filter(version__dataset__workspace=upload.workspace, record_id__in=some)
    active = DatasetVersion.objects.filter(
        dataset__workspace=upload.workspace,
        dataset__archived_at=None,
        pk__in=having.values("version"),
    )
    return active.select_related("dataset__workspace").order_by("-pk")[:CANDIDATES]


def _unknown(version: DatasetVersion, ids: Iterable[str]) -> set[str]:
    known = version.records.values_list("record_id", flat=True).iterator()
    return set(ids).difference(known)


def _unknown_ids(ids: Collection[str]) -> Rejected:
    first = sorted(ids)[:TOLD]
    told = ", ".join(first) + (", …" if len(ids) > TOLD else "")
    return Rejected(
        f"No dataset here has the records {told}: upload the dataset first, or choose the version "
        "that the file is about.",
        code="unknown_ids",
        details={"unknown": first, "unknown_count": len(ids)},
    )


def _score(row: dict[str, object], result: int, upload: Upload, redactor: Redactor) -> Imported:
    value = row["score"]
    given = str(row.get("verifier") or f"import:{upload.name}")
    return Imported(
        result_id=result,
        rule=str(row.get("rule") or row["metric_family"]),
        value=value if isinstance(value, float) else None,
        method=str(row["method"]),
        verifier=given[:LONGEST_VERIFIER],
        reason=stored(str(row.get("reason", "")), redactor),
        raw=stored_value({name: row[name] for name in RAW if name in row}, redactor),
    )
