"""How far people agree, question by question, in a file of labels."""

from collections.abc import Iterable, Mapping, Sequence

from apps.contract import Contract
from apps.metrics.agreement import of_pairs, of_people, of_question
from apps.metrics.consensus import settle
from apps.metrics.labels import Agreement, Level, Pairs, PersonAgreement

from .rows import Row, by_question, item_of, label_of


class QuestionAgreement(Contract):
    """One question: everybody together, each two, and each against the others and the gold."""

    question: str
    discarded: int
    agreement: Agreement
    pairs: Pairs
    people: tuple[PersonAgreement, ...]


class FileAgreement(Contract):
    """All questions; they may have scales of their own, so no coefficient is over all."""

    level: Level
    seed: int
    rows: int
    labels: int
    discarded: int
    items: int
    people: int
    questions: tuple[QuestionAgreement, ...]


def agreement_of(
    rows: Sequence[Row], *, gold: Iterable[Row] = (), level: Level = "nominal", seed: int = 0
) -> FileAgreement:
    """`gold` are rows of known labels; where several people gave them, their majority counts."""
    labelled = [row for row in rows if label_of(row)]
    known = {question: _settled(given) for question, given in by_question(gold).items()}
    return FileAgreement(
        level=level,
        seed=seed,
        rows=len(rows),
        labels=len(labelled),
        discarded=len(rows) - len(labelled),
        items=len({item_of(row) for row in labelled}),
        people=len({row["annotator_id"] for row in labelled}),
        questions=tuple(
            _of_question(question, given, known.get(question, {}), level=level, seed=seed)
            for question, given in by_question(rows).items()
        ),
    )


def _of_question(
    question: str, rows: Sequence[Row], gold: Mapping[str, str], *, level: Level, seed: int
) -> QuestionAgreement:
    labels = [label_of(row) for row in rows]
    frame = {
        "item": [item_of(row) for row in rows],
        "annotator": [row["annotator_id"] for row in rows],
        "label": labels,
    }
    return QuestionAgreement(
        question=question,
        discarded=labels.count(""),
        agreement=of_question(frame, level=level, seed=seed),
        pairs=of_pairs(frame, seed=seed),
        people=of_people(frame, gold=gold),
    )


def _settled(rows: Iterable[Row]) -> dict[str, str]:
    said: dict[str, list[str]] = {}
    for row in rows:
        if label_of(row):
            said.setdefault(item_of(row), []).append(label_of(row))
    settled = {item: settle(labels, "majority").label for item, labels in said.items()}
    return {item: label for item, label in settled.items() if label is not None}
