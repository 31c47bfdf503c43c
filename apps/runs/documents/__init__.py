"""What the eight artifacts of a run hold; section 4 of the dataset contract names the fields."""

from apps.artifacts.models import Bundle
from apps.metrics.contracts import Metric
from apps.runs.models import Run

from .inputs import input_dataset, validation
from .manifest import manifest_of
from .numbers import by_slice, summary
from .outputs import attempts, failures, predictions
from .writing import Beat, Writer

__all__ = ["manifest_of", "write_documents"]


def write_documents(run: Run, bundle: Bundle, metrics: list[Metric], *, beat: Beat) -> None:
    """Write every artifact but the manifest; the same run gives the same bytes again."""
    writer = Writer(bundle, beat)
    writer.write("input_dataset.json", input_dataset(run, writer.redactor))
    writer.write_rows("record_validation.jsonl", validation(run))
    writer.write_rows("predictions.jsonl", predictions(run))
    writer.write_rows("attempt_logs.jsonl", attempts(run))
    writer.write_rows("failures.jsonl", failures(run))
    writer.write_json("metrics_summary.json", lambda: summary(run, metrics, writer.redactor))
    writer.write_json("metrics_by_slice.json", lambda: by_slice(run, metrics, writer.redactor))
