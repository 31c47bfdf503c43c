"""A rubric's criteria as questions: what each asks, the form of its reply, and what passes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from apps.grading.contracts import Check
from apps.grading.rules.words import kept
from apps.grading.subjects import RubricItem

from . import bands, policies
from .aggregating import scores_of
from .parsing import json_object, rationale_of, read_judgment
from .shapes import BINARY, NO_JSON, TEXT, Shape, number, whole_number, wrong
from .voting import Opinion

Marks = Literal["met", "share"]
LONGEST_CHECK = 1_000
OPERATORS = ("", "correctness", "contradiction")
HALF = 0.5
_BAND = whole_number(bands.LOWEST, bands.HIGHEST)
_SHARE = number(0, 1)
_NO_SCORE = "The judge's reply has no score that can be read."
_OUTSIDE = "The judge's reply has a score that is not within 0 and 1."

MET = 'Does the answer do what the key "criterion" of the material describes?'
DEFINITIONS = {
    "correctness": 'Does the answer state what the key "criterion" of the material says, and '
    "state it correctly? Other wording is as good; what is missing or wrong does not meet it.",
    "contradiction": 'Is the answer free of anything that contradicts what the key "criterion" of '
    "the material says? The criterion is met where nothing does, also where the answer is silent "
    "about it.",
}
SHARE = 'How far does the answer do what the key "criterion" of the material describes?'
BANDS = (
    'Which band of "score_ranges" in the key "criterion" of the material describes the answer, '
    "and where in it does the answer stand?"
)
YES_OR_NO = "Met or not met: what is met only in part is not met."
SHARES = "Scale: 0 is not at all, 1 is entirely."
TENS = "Scale: 0 is the worst, 10 the best, in whole numbers."
ALL = 'Does the answer do what each entry in the key "criteria" of the material describes?'
FORMS = (policies.MET, policies.PRBENCH, policies.APEX, {"score": _SHARE}, {"score": _BAND})
UNWANTED = "Must not: "
WORDS = json.dumps([MET, DEFINITIONS, SHARE, BANDS, YES_OR_NO, SHARES, TENS, ALL, FORMS])
"""All the words that a rubric's question may hold beside the template."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A criterion with its score from 0 to 1, and whether the answer meets it."""

    item: RubricItem
    score: float
    met: bool
    rationale: str = ""

    @property
    def check(self) -> Check:
        """In the form of agentv; a criterion of a negative weight is as it should be if not met."""
        unwanted = UNWANTED if self.item.weight < 0 else ""
        return Check(
            text=kept(f"[{self.item.id}] {unwanted}{text_of(self.item)}", LONGEST_CHECK),
            passed=self.met if self.item.weight >= 0 else not self.met,
            evidence=kept(self.rationale, LONGEST_CHECK),
        )

    @property
    def misses(self) -> bool:
        """Whether the whole rule fails by this criterion alone."""
        least = self.item.min_score
        if least is not None:
            return self.score < (least / bands.HIGHEST if least > 1 else least)
        return self.item.required and not self.check.passed


def text_of(item: RubricItem) -> str:
    return item.title.strip() or item.description.strip() or item.id


def trouble(items: Sequence[RubricItem]) -> str:
    """Why these criteria cannot be judged, as half a sentence; empty where they can."""
    for place, item in enumerate(items, start=1):
        if item.operator not in OPERATORS:
            return f"criterion {place}: its operator is neither correctness nor contradiction"
        if item.score_ranges and isinstance(found := bands.bands(item.score_ranges), str):
            return f"criterion {place}: {found}"
    total = sum(abs(item.weight) for item in items)
    return "" if total <= 1e12 else "the weights are too large to be added up"  # also of NaN


def shown(item: RubricItem) -> dict[str, Any]:
    """The criterion as a judge sees it: not its weight, which is not the judge's to know."""
    parts: dict[str, Any] = {"title": item.title, "description": item.description}
    if item.score_ranges:
        parts["score_ranges"] = bands.bands(item.score_ranges)
    found = {key: part for key, part in parts.items() if part}
    return found or {"title": item.id}


def definition(item: RubricItem, marks: Marks) -> tuple[str, str]:
    """What is asked, and by which scale: words of ours alone."""
    if item.score_ranges:
        return BANDS, TENS
    asked = DEFINITIONS.get(item.operator)
    if marks == "share":
        return asked or SHARE, SHARES
    return asked or MET, YES_OR_NO


def reply_to(item: RubricItem, marks: Marks, policy: str) -> dict[str, Any]:
    if item.score_ranges:
        return {"score": _BAND, "rationale": TEXT}
    return {"score": _SHARE, "rationale": TEXT} if marks == "share" else policies.met_by(policy)


def reply_to_all(count: int, marks: Marks) -> dict[str, Any]:
    form = _SHARE if marks == "share" else BINARY
    each = {f"criterion_{place}": form for place in range(1, count + 1)}
    return {"criteria": each, "score": _SHARE, "rationale": TEXT}


def opinion(reply: Shape, text: str, threshold: float) -> Opinion | str:
    """What a text says of one criterion, or one sentence of complaint."""
    if reply.get("score") == _BAND:
        return _banded(text)
    parsed = read_judgment(text, threshold)
    if parsed.parse_error:
        return _NO_SCORE if json_object(text) else NO_JSON
    if parsed.clamped:
        return _OUTSIDE
    share = "score" in reply
    met = parsed.score >= HALF
    return Opinion(
        value=parsed.score if share else float(met),
        passed=parsed.score >= threshold if share else met,
        rationale=parsed.rationale,
    )


def opinion_of_all(reply: Shape, text: str, threshold: float) -> Opinion | str:
    """What a text says of all criteria at once, its scores of each in `said`."""
    parsed = read_judgment(text, threshold)
    asked = len(reply["criteria"])
    if parsed.parse_error:
        return _NO_SCORE if json_object(text) else NO_JSON
    if parsed.clamped:
        return _OUTSIDE
    if len(parsed.criteria) < asked:
        return f"The judge's reply has {len(parsed.criteria)} of the {asked} criteria."
    return Opinion(
        value=parsed.score,
        passed=parsed.passed,
        rationale=parsed.rationale,
        said={"criteria": parsed.criteria},
    )


def marked_of_all(
    items: Sequence[RubricItem], said: Opinion, marks: Marks, threshold: float
) -> Sequence[Marked] | str:
    """Each criterion with its score in one reply, or which of them the reply does not name."""
    found: dict[str, float] = said.said["criteria"]
    names = [f"criterion_{place}" for place in range(1, len(items) + 1)]
    by_place = [found.get(name) for name in names]
    scores = scores_of(items, found) if None in by_place else by_place
    if None in scores:
        return f"The judge's reply does not name {names[scores.index(None)]}."
    least = threshold if marks == "share" else HALF
    return [
        Marked(item, score if marks == "share" else float(score >= HALF), score >= least)
        for item, score in zip(items, scores, strict=True)
        if score is not None
    ]


def _banded(text: str) -> Opinion | str:
    said = json_object(text)
    if said is None:
        return NO_JSON
    if complaint := wrong({"score": _BAND}, {"score": said.get("score")}):
        return complaint
    points = float(said["score"])
    return Opinion(
        value=points / bands.HIGHEST,
        passed=points >= bands.PASSES,
        rationale=rationale_of(said),
        said={"score": points},
    )
