"""The scores that came with a result row, for the recorded run."""

from collections.abc import Iterator, Mapping
from typing import Any

from apps.datasets.contracts import ImportedScore
from apps.datasets.formats.agentv.results import checks_told

OVERALL = "agentv"
JUDGES = ("llm", "rubric", "agent", "model-graded", "factuality", "g-eval")


def result_scores(payload: Mapping[str, Any]) -> list[ImportedScore]:
    """The score of the row as family `agentv`, then one of each grader by its name.

    A grader's name that comes again gets a number; a score that is not from 0 to 1 is left out.
    """
    resolved = payload["resolved"]
    graders = [each for each in resolved["scores"] if 0 <= each["score"] <= 1]
    judged = any(_is_judge(each["type"]) for each in graders) or not graders
    reason = resolved["reasoning"] or checks_told(payload["row"])
    whole = _score(OVERALL, resolved["score"], judged, "agentv", reason)
    return [whole, *_of_graders(graders)]


def _of_graders(graders: list[dict[str, Any]]) -> Iterator[ImportedScore]:
    seen: dict[str, int] = {OVERALL: 1}
    for each in graders:
        count = seen[each["name"]] = seen.get(each["name"], 0) + 1
        family = each["name"] if count == 1 else f"{each['name']} {count}"
        verifier = f"agentv {each['type']}".strip()
        yield _score(family, each["score"], _is_judge(each["type"]), verifier, each["reasoning"])


def _score(family: str, value: float, judged: bool, verifier: str, reason: str) -> ImportedScore:
    method = "judge" if judged else "code"
    return ImportedScore(
        family=family, value=float(value), method=method, verifier=verifier, reason=reason
    )


def _is_judge(kind: str) -> bool:
    return kind.replace("_", "-").startswith(JUDGES)
