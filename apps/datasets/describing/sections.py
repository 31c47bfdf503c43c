"""The fields of rows that people ask after, whatever the format. Pure."""

from collections.abc import Callable, Mapping
from typing import Any

from .parts import (
    MOST,
    Mark,
    Piece,
    Row,
    Section,
    as_text,
    as_weight,
    facts_in_line,
    listed,
    objects,
    spelled,
)

PASSED_OVER = "Kept and shown, never executed: it gives no score."

Describer = Callable[[Row, Row], Section | None]


def _goal(row: Row, resolved: Row) -> Section | None:
    keys = ("criteria", "expected_outcome", "outcome")
    told = resolved.get("criteria") or next((row[key] for key in keys if row.get(key)), None)
    return Section("What is expected", text=as_text(told)) if told else None


def _choices(row: Row, _: Row) -> Section | None:
    right = [str(each) for each in listed(row.get("correct_choice_ids"))]
    marks = tuple(
        Mark(
            as_text(choice.get("text")),
            label=as_text(choice.get("id")),
            right=as_text(choice.get("id")) in right,
        )
        for choice in objects(row.get("choices"))
    )
    return Section("Choices", "The right ones are marked.", marks=marks) if marks else None


def _rubric(row: Row, resolved: Row) -> Section | None:
    given = objects(row.get("rubric"))
    if not given:
        return None
    marks = tuple(
        Mark(
            as_text(criterion.get("title") or criterion.get("id")),
            label=as_text(criterion.get("id")) if criterion.get("title") else "",
            note=as_text(criterion.get("description")),
            weight=as_weight(criterion.get("weight", 1)),
        )
        for criterion in given
    )
    return Section("Rubric", "A negative weight takes points away.", marks=marks)


def _references(row: Row, _: Row) -> Section | None:
    """Only where there are several: a single one is the reference answer itself."""
    answers = [as_text(each) for each in listed(row.get("reference_answers"))]
    if len(answers) < 2:
        return None
    return Section("Reference answers", marks=tuple(Mark(each) for each in answers))


def _assertions(row: Row, resolved: Row) -> Section | None:
    keys = ("assertions", "assert", "evaluators")
    given = resolved.get("assertions") or next((row[key] for key in keys if row.get(key)), None)
    marks = tuple(_grader(each) for each in listed(given))
    return Section("Graders", "In force for this case.", marks=marks) if marks else None


def _grader(grader: Any) -> Mark:
    if not isinstance(grader, Mapping):
        return Mark(as_text(grader), label="criterion")
    named = ("type", "name", "weight", "never_executed")
    more = {key: value for key, value in grader.items() if key not in named}
    note = PASSED_OVER if grader.get("never_executed") else ""
    weight = as_weight(grader["weight"]) if "weight" in grader else ""
    text = facts_in_line(more) or as_text(grader.get("name"))
    return Mark(text, label=as_text(grader.get("type")), note=note, weight=weight)


def _outcomes(row: Row, _: Row) -> Section | None:
    outcomes = row.get("expected_outcomes")
    if not isinstance(outcomes, Mapping) or not outcomes:
        return None
    facts = tuple((name, as_text(value)) for name, value in outcomes.items())[:MOST]
    return Section("Expected outcomes", facts=facts)


def _rules(row: Row, _: Row) -> Section | None:
    marks = tuple(
        Mark(
            as_text(rule.get("expected")),
            label=as_text(rule.get("type")),
            note=as_text(rule.get("notes_for_review")),
            weight="blocking" if rule.get("blocking") else "warning",
        )
        for rule in objects(row.get("grading_rules"))
    )
    return Section("Grading rules", marks=marks) if marks else None


def _verifiers(row: Row, _: Row) -> Section | None:
    given = row.get("verifier_outputs")
    facts = tuple(
        (name, as_text(value)) for output in objects(given) for name, value in output.items()
    )
    return Section("Verifier outputs", facts=facts[:MOST]) if facts else None


def _about(row: Row, _: Row) -> Section | None:
    keys = ("risk_class", "labels", "scenario_owner", "dataset_version", "source_trace_ids")
    more = ("notes_for_review", "source", "dataset", "task_type", "test_id", "score", "verdict")
    facts = tuple(
        (key, as_text(row[key])) for key in (*keys, *more) if row.get(key) not in (None, "")
    )
    return Section("About it", facts=facts) if facts else None


def _runs(row: Row, _: Row) -> Section | None:
    pieces = tuple(
        Piece(
            as_text(run.get("run_id")) or f"Run {number}", spelled(run), as_text(run.get("status"))
        )
        for number, run in enumerate(objects(row.get("runs")), 1)
    )
    return Section("Runs of the session", pieces=pieces) if pieces else None


def _context(row: Row, _: Row) -> Section | None:
    chunks = objects(row.get("chunks"))
    if chunks:
        pieces = tuple(
            Piece(_chunk_title(chunk, at), as_text(chunk.get("text")))
            for at, chunk in enumerate(chunks, 1)
        )
        return Section("Retrieved chunks", pieces=pieces)
    context = row.get("context")
    passages = [context] if isinstance(context, str) and context else listed(context)
    if len(passages) == 1:
        return Section("Context", text=as_text(passages[0], clip=False))
    pieces = tuple(
        Piece(f"Passage {at}", as_text(passage, clip=False))
        for at, passage in enumerate(passages, 1)
    )
    return Section("Context", pieces=pieces) if pieces else None


def _chunk_title(chunk: Row, at: int) -> str:
    document = f" of {as_text(chunk['doc_id'])}" if chunk.get("doc_id") else ""
    return f"{as_text(chunk.get('chunk_rank') or at)}. {as_text(chunk.get('chunk_id'))}{document}"


def _files(row: Row, resolved: Row) -> Section | None:
    given = resolved.get("files") or resolved.get("attachments") or row.get("attachments")
    pieces = tuple(
        Piece(
            as_text(file.get("resolved_path") or file.get("path")),
            as_text(file.get("text"), clip=False),
            _file_note(file),
        )
        for file in objects(given)
    )
    return (
        Section("Files", "As they were when they were uploaded.", pieces=pieces) if pieces else None
    )


def _file_note(file: Row) -> str:
    notes = [
        as_text(file.get("error")),
        "clipped" if file.get("clipped") else "",
        "instructions: put before the prompt" if file.get("instruction") else "",
    ]
    return "; ".join(note for note in notes if note)


DESCRIBERS: tuple[Describer, ...] = (
    _goal,
    _choices,
    _rubric,
    _references,
    _outcomes,
    _assertions,
    _rules,
    _context,
    _runs,
    _files,
    _verifiers,
    _about,
)
