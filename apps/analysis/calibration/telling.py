"""Why a judge's rate is corrected by people's labels, or why it is not."""

from collections.abc import Sequence
from typing import NamedTuple

from django.urls import reverse

from apps.analysis.models import Calibration
from apps.metrics.labels import Calibration as Numbers
from apps.runs.later.calibrated import VERDICT, Held
from apps.runs.models import Run

from .grounds import Ground

_QUESTION = 60

NOBODY = "Nobody has held this judge against people's labels."
NOBODY_VERDICT = (
    "Judges have a part in this verdict, and nobody has held the whole of it against people's "
    "labels."
)
NO_LABELS = "People were asked about answers of this run, and no label counts yet."
CLUSTERED = (
    "Answers of this run come in groups or tries that are alike, and a correction that takes each "
    "for itself would be surer than it may be."
)
SEVERAL = (
    "Several judges answered under this name, and people were held against each of them by itself."
)
ELSEWHERE = (
    "People labelled answers of another run that this judge judged, and none of this one: how "
    "often it is right here is not known."
)
A_QUESTION = "People were asked another question of the answers of this run: {question}. {remedy}"
SAME = "Where both ask the same, a lead says so on the page of the judges."
SAME_VERDICT = (
    "The verdict of a contract is about the answer as a whole: it is corrected where people said "
    "whether the whole answer passes, and a lead said so on the page of the judges."
)


class _Line(NamedTuple):
    row: Calibration
    numbers: Numbers

    @property
    def labels(self) -> int:
        return self.numbers.confusion.n

    @property
    def corrects(self) -> bool:
        return self.numbers.method != "none"


def told_of(ground: Ground, name: str) -> Held:
    """Of what goes by this name in the run: its own labels before those of other runs."""
    own, others = ground.own.get(name, ()), ground.others.get(name, ())
    if matched := _lines([row for row in own if row.matched]):
        return _matched(ground, matched)
    if found := [line for line in _lines(others) if line.labels]:
        best = max(found, key=_worth)
        return Held(best.labels, _address(ground.run, best.row), why=ELSEWHERE)
    if own:
        remedy = SAME_VERDICT if name == VERDICT else SAME
        question = str(own[0].question)[:_QUESTION]
        why = A_QUESTION.format(question=question, remedy=remedy)
        return Held(0, _address(ground.run, own[0]), why=why)
    return Held(0, why=NOBODY_VERDICT if name == VERDICT else NOBODY)


def _matched(ground: Ground, lines: Sequence[_Line]) -> Held:
    best = max(lines, key=_worth)
    address, labels = _address(ground.run, best.row), best.labels
    if not labels:
        return Held(0, address, why=NO_LABELS)
    if why := _hindrance(ground, best, lines):
        return Held(labels, address, why=why)
    return Held(labels, address, best.numbers.corrected, _sentence(best.numbers.why))


def _hindrance(ground: Ground, best: _Line, lines: Sequence[_Line]) -> str:
    if not best.corrects:
        return _sentence(best.numbers.why)
    if ground.clustered:
        return CLUSTERED
    row = best.row
    beside = {
        (line.row.judge, line.row.method, line.row.verifier)
        for line in lines
        if (line.row.campaign_id, line.row.question_id) == (row.campaign_id, row.question_id)
    }
    return SEVERAL if len(beside) > 1 else ""


def _lines(rows: Sequence[Calibration]) -> list[_Line]:
    return [_Line(row, Numbers.model_validate(row.body)) for row in rows]


def _worth(line: _Line) -> tuple[bool, int]:
    return line.corrects, line.labels


def _address(run: Run, row: Calibration) -> str:
    return reverse("analysis:judges", args=[run.workspace.slug, row.campaign_id])


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
