"""The annotation tool's export of one task: a row a response, a column a question.

The files of the tool's three tasks have exactly its columns. Other tasks are exported by us in the
same shape, with a `schema_version` that says so; a discarded response says `discarded` there under
each question that it was asked.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from .csv_text import SCHEMA_VERSION, unguarded

Fields = dict[str, Any]

MARKS = frozenset({"record_uuid", "annotator_id", "response_status"})
QUESTIONS: dict[str, tuple[str, ...]] = {
    "retrieval": ("topically_relevant", "evidence_sufficient", "misleading"),
    "grounding": (
        *("support_present", "unsupported_claim_present", "contradicted_claim_present"),
        *("source_cited", "fabricated_source"),
    ),
    "generation": (
        *("proper_action", "response_on_topic", "helpful", "incomplete", "unsafe_content"),
    ),
}
SPEAKS_AGAINST = frozenset(
    {
        *("misleading", "unsupported_claim_present", "contradicted_claim_present"),
        *("fabricated_source", "incomplete", "unsafe_content"),
    }
)
"""The questions to which yes is no praise."""

COMMON = (
    *("record_uuid", "annotator_id", "task", "language", "calibration", "inserted_at"),
    *("created_at", "record_status", "response_status", "discard_reason", "discard_notes"),
)
OF_CHUNKS = ("query", "chunk", "chunk_id", "doc_id", "chunk_rank", "n_retrieved_chunks")
OF_ANSWERS = ("query", "answer", "context_set")
TEXTS: dict[str, tuple[str, ...]] = {
    "retrieval": OF_CHUNKS,
    "grounding": ("answer", "context_set"),
    "generation": ("query", "answer"),
}
ENDING = ("notes", "constraint_violated", "constraint_details")
PANEL = (
    *("panel_complete", "n_annotated_chunks", "n_submitted_chunks", "n_discarded_chunks"),
    "n_records_seen",
)
FIXED = frozenset({*COMMON, *OF_CHUNKS, *OF_ANSWERS, *ENDING, *PANEL, SCHEMA_VERSION})
WHOLE = "label"
"""The column of a task that asks one question as a whole."""

PREFIX = "question:"
"""Before a question whose name is that of another column."""

KEPT = ("language", "calibration")
"""Of the columns that say nothing of a label; the pair's texts are the pair's."""


class Shape(NamedTuple):
    """The columns that hold labels; `task` is empty where each row says its own."""

    task: str
    questions: tuple[str, ...]


def spec_columns(task: str) -> tuple[str, ...]:
    """The columns of one of the tool's tasks, in its order."""
    panel = PANEL if task == "retrieval" else ()
    return (*COMMON, *TEXTS[task], *QUESTIONS[task], *ENDING, *panel)


def own_columns(questions: Sequence[str], *, chunks: bool) -> tuple[str, ...]:
    """Those of a task of ours; `questions` are names of criteria."""
    texts = OF_CHUNKS if chunks else OF_ANSWERS
    return (*COMMON, *texts, *map(column_of, questions), *ENDING, SCHEMA_VERSION)


def column_of(question: str) -> str:
    taken = question in FIXED or question == WHOLE or question.startswith(PREFIX)
    return f"{PREFIX}{question}" if taken else question or WHOLE


def shape_of(columns: Sequence[str]) -> Shape | None:
    """What an export of one task asks; None where the columns are of none."""
    has = set(columns)
    if not has >= MARKS:
        return None
    task = next((task for task, names in QUESTIONS.items() if has >= set(names)), "")
    if task and SCHEMA_VERSION not in has:
        return Shape(task, QUESTIONS[task])
    ours = has >= {"task", SCHEMA_VERSION}
    return Shape("", tuple(name for name in columns if name not in FIXED)) if ours else None


def unfolded(row: Mapping[str, Any], shape: Shape) -> Iterator[Fields]:
    """One annotation for each question of a response; a discarded one has no labels."""
    said = {**row, **unguarded(_texts(row))} if shape.task else dict(row)
    discarded = said.get("response_status") == "discarded"
    for column in shape.questions:
        label = said.get(column)
        if shape.task or label not in (None, ""):
            about = _response(said, shape, discarded)
            name = _question(column, shape)
            yield {**about, "criterion": name, "label": None if discarded else label}


def _response(said: Fields, shape: Shape, discarded: bool) -> Fields:
    own = {} if shape.task else {SCHEMA_VERSION: said.get(SCHEMA_VERSION)}
    return {
        **own,
        "id": said.get("record_uuid"),
        "task_type": shape.task or said.get("task"),
        "annotator_id": said.get("annotator_id"),
        "annotated_at": _with_zone(said.get("created_at")),
        "chunk_id": said.get("chunk_id"),
        "discard_reason": (said.get("discard_reason") or "unclear") if discarded else "",
        "notes": said.get("discard_notes" if discarded else "notes"),
        **{name: said.get(name) for name in KEPT},
    }


def _question(column: str, shape: Shape) -> str:
    if column == WHOLE and not shape.task:
        return ""
    return column.removeprefix(PREFIX)


def _texts(row: Mapping[str, Any]) -> dict[str, str]:
    """The cells that may be guarded against spreadsheets: nothing else marks our own file."""
    return {name: text for name, text in row.items() if isinstance(text, str)}


def _with_zone(text: Any) -> Any:
    """The tool writes its moments in UTC, at times without saying so."""
    try:
        naive = isinstance(text, str) and datetime.fromisoformat(text).tzinfo is None
    except ValueError:
        return text
    return f"{text}+00:00" if naive else text
