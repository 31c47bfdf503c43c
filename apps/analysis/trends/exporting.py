"""A board for programs: what the page shows, as JSON."""

from collections.abc import Iterator
from typing import Any

from apps.analysis.calibration.known import corrected_of_many
from apps.analysis.comparing.exporting import facts_of
from apps.runs.documents.writing import moment

from .choosing import NO_CONTRACT, OFFERED, Match
from .standing import Standing

TOO_FEW_RUNS = (
    "A board takes two ended runs of one dataset version that the same contract judged, of two "
    "target versions unless every run is asked for."
)


def told(found: Standing) -> dict[str, Any]:
    """The board, its runs with what people's labels make of their numbers, and what else may be
    ranked."""
    board, contenders = found.board, found.found
    return {
        "board_id": board.pk if board else None,
        "dataset_version_id": contenders.version or None,
        "contract_version_id": _contract(contenders.contract),
        "metric": found.wanted.metric,
        "every": bool(found.wanted.every),
        "state": board.state if board else None,
        "reason": board.error if board else TOO_FEW_RUNS,
        "as_of": moment(board.as_of) if board else None,
        "older": contenders.left_out,
        "runs": list(_runs(found)),
        "body": board.body if board else None,
        "grounds": [_ground(match) for match in contenders.matches[:OFFERED]],
    }


def _runs(found: Standing) -> Iterator[dict[str, Any]]:
    runs = found.found.runs
    corrected = corrected_of_many(runs, found.wanted.metric)
    for run in runs:
        known = corrected[run.pk]
        yield {**facts_of(run), "corrected": known and known.model_dump(mode="json")}


def _ground(match: Match) -> dict[str, Any]:
    return {
        "dataset_version_id": match.version,
        "contract_version_id": _contract(match.contract),
        "runs": match.runs,
        "target_versions": match.targets,
    }


def _contract(key: str) -> str | None:
    """None: the rules of the data alone."""
    return None if key in ("", NO_CONTRACT) else key
