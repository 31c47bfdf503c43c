"""The pages of runs and what people do on them."""

from .artifacts import artifact, artifacts, artifacts_zip
from .control import archive, cancel, restore, resume, retry
from .detail import detail
from .labels import label
from .listing import run_list
from .recorded import recorded
from .regrading import regrade
from .results import export_csv, export_jsonl, export_judgments, record, results
from .starting import clone, start

__all__ = [
    "archive",
    "artifact",
    "artifacts",
    "artifacts_zip",
    "cancel",
    "clone",
    "detail",
    "export_csv",
    "export_jsonl",
    "export_judgments",
    "label",
    "record",
    "recorded",
    "regrade",
    "restore",
    "results",
    "resume",
    "retry",
    "run_list",
    "start",
]
