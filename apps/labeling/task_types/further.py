"""A checklist of the record's criteria, the answer against its reference, own questions. Pure."""

from apps.grading.subjects import Subject
from apps.labeling.plans import Asked, Language, Plan

from . import showing
from .asking import answers, yes_no
from .base import NONE_MET, Option, Task, Text
from .binary import answer_fields, shown_answer

SCALE = ("1", "2", "3", "4", "5")


def rubric(plan: Plan, criteria: int) -> Task:
    """One question at the desk: which criteria are met; kept as a yes or no for each."""
    language = plan.language
    title = Text("Which criteria does the response meet?", "Welche Kriterien erfüllt die Antwort?")
    met = Text("Criterion {} is met", "Kriterium {} ist erfüllt").of(language)
    numbers = [str(number) for number in range(1, criteria + 1)]
    none = Option(value=NONE_MET, title=Text("None", "Keines").of(language))
    asked = Asked(
        title=title.of(language),
        kind="several",
        options=(*(Option(value=number, title=number) for number in numbers), none),
    )
    kept = (yes_no(language, Text(*[met.format(n)] * 2), f"criterion-{n}") for n in numbers)
    return Task(
        id="rubric",
        task_type="rubric",
        prefix="rub",
        title=Text("Checklist of the record's criteria", "Kriterienliste").of(language),
        fields=(
            showing.field("query", language),
            showing.field("response", language),
            showing.field("criteria", language),
        ),
        questions=(asked,),
        kept=tuple(kept),
        shown=lambda subject, _: _shown(subject, "criteria", showing.checklist(subject, language)),
        missing="no criteria",
    )


def reference(plan: Plan, _criteria: int) -> Task:
    language = plan.language
    title = Text(
        "How well does the response agree with the reference? 1: not at all, 5: fully",
        "Wie gut stimmt die Antwort mit der Referenz überein? 1: gar nicht, 5: ganz",
    )
    asked = Asked(
        title=title.of(language),
        kind="rating",
        options=tuple(Option(value=value, title=value) for value in SCALE),
        level="ordinal",
    )
    return Task(
        id="reference",
        task_type="reference",
        prefix="ref",
        title=Text("Answer against reference", "Antwort gegen Referenz").of(language),
        fields=(
            showing.field("query", language),
            showing.field("response", language),
            showing.field("reference", language),
        ),
        questions=(asked,),
        shown=lambda subject, _: _shown(subject, "reference", subject.reference or ""),
        missing="no reference answer",
    )


def own(plan: Plan, _criteria: int) -> Task:
    return Task(
        id="own",
        task_type="own",
        prefix="own",
        title=Text("Own questions", "Eigene Fragen").of(plan.language),
        fields=answer_fields(plan.language),
        questions=tuple(_with_answers(asked, plan.language) for asked in plan.own),
        shown=shown_answer,
    )


def _with_answers(asked: Asked, language: Language) -> Asked:
    if asked.kind != "yes_no" or asked.options:
        return asked
    return asked.model_copy(update={"options": answers(language)})


def _shown(subject: Subject, name: str, text: str) -> dict[str, str] | None:
    texts = showing.filled(query=showing.query(subject), response=showing.response(subject))
    texts |= showing.filled(**{name: text})
    return texts if {"query", "response", name} <= texts.keys() else None
