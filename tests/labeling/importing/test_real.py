"""Real pairs with real labels and scores, end to end into the database."""

import pytest

from apps.accounts.models import Workspace
from apps.datasets.exporting.writing import export
from apps.datasets.sight import Sight
from apps.labeling.models import Annotation, AnnotationChange, Item
from apps.runs.models import Run, RunState, Score
from tests.datasets.pairs import pairs_version, real, uploaded
from tests.runs.conftest import drain, points


def brought(workspace: Workspace, path: str) -> str:
    file = real(path)
    upload = uploaded(workspace, file.read_bytes(), file.name)
    assert upload.outcome is not None
    return str(upload.outcome.get("told", upload.outcome))


@pytest.mark.parametrize(
    ("pairs", "records", "labels", "count"),
    [
        ("rag/mtrag_pairs.csv", 318, "rag/mtrag_labels.csv", 1_883),
        ("rag/mtrag_pairs.csv", 318, "annotators/mtrag_ratings.csv", 3_762),
        ("rag/expertqa_pairs.csv", 217, "rag/expertqa_labels.csv", 644),
    ],
)
def test_labels_are_stored_exported_and_the_same_again(
    workspace: Workspace, pairs: str, records: int, labels: str, count: int
) -> None:
    version = pairs_version(workspace, real(pairs).read_bytes())

    first = brought(workspace, labels)

    assert f"{count:,} new" in first
    assert Annotation.objects.count() == count
    assert Run.objects.get().results.count() == records
    assert Item.objects.count() <= records
    csv = b"".join(export(version, "annotations", Sight(workspace)).pieces)
    again = uploaded(workspace, csv, "again.csv")
    assert again.outcome is not None
    assert f"0 new, 0 changed, {count:,} as before" in again.outcome["told"]
    assert not AnnotationChange.objects.exists()


def test_scores_are_stored_measured_exported_and_the_same_again(workspace: Workspace) -> None:
    version = pairs_version(workspace, real("rag/mtrag_pairs.csv").read_bytes())

    first = brought(workspace, "rag/mtrag_judge_scores.csv")

    assert "954 new" in first
    assert Score.objects.count() == 954
    run = drain(Run.objects.get())
    assert run.state == RunState.COMPLETED
    verifier = "import:mtrag_judge_scores.csv"
    found = points(run)
    for label in ("grounding · model_based", "relevance · model_based"):
        assert 0 < found[f"rule:{label} · {verifier}:mean"] < 1
    csv = b"".join(export(version, "scores", Sight(workspace)).pieces)
    again = uploaded(workspace, csv, "again.csv")
    assert again.outcome is not None
    assert "0 new, 0 changed, 954 as before" in again.outcome["told"]


@pytest.mark.parametrize(
    "labels",
    ["xsum_factuality.csv", "ambient_linguists.csv", "ambient_crowd.csv"],
)
def test_labels_without_their_pairs_are_refused(workspace: Workspace, labels: str) -> None:
    assert "No dataset here has the records" in brought(workspace, f"annotators/{labels}")
    assert not Annotation.objects.exists()
