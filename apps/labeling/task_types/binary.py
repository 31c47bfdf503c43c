"""The package contracts' tasks: one label each, acceptable or not. Pure."""

from apps.grading.subjects import Subject
from apps.labeling.plans import Language, Plan

from . import showing
from .asking import yes_no
from .base import Field, Task, Text

NO_PASSAGE = "no retrieved passage"
NO_CONTEXT = "no context"


def retrieval(plan: Plan, _criteria: int) -> Task:
    title = Text(
        "Does the passage help to answer the query?",
        "Hilft der Abschnitt, die Anfrage zu beantworten?",
    )
    return Task(
        id="retrieval",
        task_type="retrieval",
        prefix="ret",
        title=Text("Retrieval", "Suche").of(plan.language),
        unit="chunk",
        fields=passage_fields(plan.language),
        questions=(yes_no(plan.language, title),),
        shown=shown_passage,
        missing=NO_PASSAGE,
    )


def grounding(plan: Plan, _criteria: int) -> Task:
    title = Text(
        "Is everything that the response claims supported by the context?",
        "Ist alles, was die Antwort behauptet, durch den Kontext belegt?",
    )
    return Task(
        id="grounding",
        task_type="grounding",
        prefix="gnd",
        title=Text("Grounding", "Belegtheit").of(plan.language),
        fields=context_fields(plan.language),
        questions=(yes_no(plan.language, title),),
        shown=shown_with_context,
        missing=NO_CONTEXT,
    )


def relevance(plan: Plan, _criteria: int) -> Task:
    title = Text(
        "Does the response answer what was asked?", "Beantwortet die Antwort, was gefragt war?"
    )
    return Task(
        id="relevance",
        task_type="relevance",
        prefix="rel",
        title=Text("Relevance", "Relevanz").of(plan.language),
        fields=answer_fields(plan.language),
        questions=(yes_no(plan.language, title),),
        shown=shown_answer,
    )


def passage_fields(language: Language) -> tuple[Field, ...]:
    return (
        showing.field("query", language),
        showing.field("chunk", language),
        showing.field("response", language, required=False),
    )


def context_fields(language: Language) -> tuple[Field, ...]:
    return (
        showing.field("response", language),
        showing.field("context", language),
        showing.field("query", language, required=False),
    )


def answer_fields(language: Language) -> tuple[Field, ...]:
    return (
        showing.field("query", language),
        showing.field("response", language),
        showing.field("context", language, required=False),
    )


def shown_passage(subject: Subject, chunk: str) -> dict[str, str] | None:
    texts = showing.filled(
        query=showing.query(subject),
        chunk=showing.chunk(subject, chunk),
        response=showing.response(subject),
    )
    return texts if {"query", "chunk"} <= texts.keys() else None


def shown_with_context(subject: Subject, _chunk: str) -> dict[str, str] | None:
    texts = _answer(subject)
    return texts if {"response", "context"} <= texts.keys() else None


def shown_answer(subject: Subject, _chunk: str) -> dict[str, str] | None:
    texts = _answer(subject)
    return texts if {"query", "response"} <= texts.keys() else None


def _answer(subject: Subject) -> dict[str, str]:
    return showing.filled(
        query=showing.query(subject),
        response=showing.response(subject),
        context=showing.context(subject),
    )
