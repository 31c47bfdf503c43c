"""The scores on a version's recorded run as the package contracts' evaluation output."""

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from apps.accounts.models import User
from apps.datasets.formats import scores
from apps.datasets.models import DatasetVersion
from apps.datasets.sight import Sight
from apps.runs.models import Run, Score

STREAMED = 500
_ORDER = ("result__ordinal", "rule", "method", "verifier", "judge")


def scores_csv(version: DatasetVersion, sight: Sight) -> Iterator[bytes]:
    """One line a score, with who gave it; what has no value says why."""
    found = Score.objects.filter(run__dataset_version=version, run__kind=Run.Kind.RECORDED)
    rows = found.select_related("result__record").order_by(*_ORDER)
    rows = rows.defer("result__response", "result__record__payload")
    yield from scores.write(_row(score, sight) for score in rows.iterator(chunk_size=STREAMED))


def concealed_datasets(user: User) -> QuerySet[Any]:
    """The keys of those over which there are runs that are concealed from this person."""
    return Run.objects.concealed_from(user).values("dataset_version__dataset")


def _row(score: Score, sight: Sight) -> dict[str, Any]:
    given = score.raw if isinstance(score.raw, dict) else {}
    return {
        "id": score.result.record.record_id,
        "metric_family": given.get("metric_family", score.rule),
        "rule": score.rule,
        "score": score.value,
        "method": score.method,
        "verifier": score.verifier,
        "reason": sight.text(score.reason),
        "metadata": sight.value(given.get("metadata")),
    }
