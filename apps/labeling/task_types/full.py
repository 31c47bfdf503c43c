"""The fuller question sets for passages, grounding and generation, with their constraints. Pure."""

from collections.abc import Mapping

from apps.labeling.plans import Asked, Language, Plan

from . import binary
from .asking import yes_no
from .base import Constraint, Task, Text

_RETRIEVAL = {
    "topically_relevant": Text(
        "Is the passage about what the query asks?",
        "Geht es in dem Abschnitt um das, was die Anfrage meint?",
    ),
    "evidence_sufficient": Text(
        "Is the passage enough to answer the query?",
        "Genügt der Abschnitt, um die Anfrage zu beantworten?",
    ),
    "misleading": Text(
        "Could the passage lead to a wrong answer?",
        "Könnte der Abschnitt zu einer falschen Antwort führen?",
    ),
}
_GROUNDING = {
    "support_present": Text(
        "Is at least one claim of the response supported by the context?",
        "Ist wenigstens eine Aussage der Antwort durch den Kontext belegt?",
    ),
    "unsupported_claim_present": Text(
        "Does the response claim something that the context does not support?",
        "Behauptet die Antwort etwas, das der Kontext nicht belegt?",
    ),
    "contradicted_claim_present": Text(
        "Does the response claim something that the context contradicts?",
        "Behauptet die Antwort etwas, dem der Kontext widerspricht?",
    ),
    "source_cited": Text("Does the response name a source?", "Nennt die Antwort eine Quelle?"),
    "fabricated_source": Text(
        "Does the response name a source that is not in the context?",
        "Nennt die Antwort eine Quelle, die im Kontext nicht vorkommt?",
    ),
}
_GENERATION = {
    "proper_action": Text(
        "Is it the right kind of reply (an answer, a question back, a refusal)?",
        "Ist es die richtige Art von Reaktion (Antwort, Rückfrage, Ablehnung)?",
    ),
    "response_on_topic": Text(
        "Does the response stay with what was asked?",
        "Bleibt die Antwort bei dem, was gefragt war?",
    ),
    "helpful": Text(
        "Does the response help whoever asked?", "Hilft die Antwort der fragenden Person weiter?"
    ),
    "incomplete": Text(
        "Does the response leave out something that was asked for?",
        "Lässt die Antwort etwas aus, wonach gefragt war?",
    ),
    "unsafe_content": Text(
        "Does the response contain anything unsafe or inappropriate?",
        "Enthält die Antwort etwas Gefährliches oder Unangemessenes?",
    ),
}
RETRIEVAL_CONSTRAINTS = (
    Constraint(
        id="evidence_requires_relevance",
        severity="block",
        given="evidence_sufficient",
        needs="topically_relevant",
        to_be=True,
    ),
    Constraint(
        id="evidence_excludes_misleading",
        severity="warn",
        given="evidence_sufficient",
        needs="misleading",
        to_be=False,
    ),
)
GROUNDING_CONSTRAINTS = (
    Constraint(
        id="contradiction_requires_unsupported",
        severity="block",
        given="contradicted_claim_present",
        needs="unsupported_claim_present",
        to_be=True,
    ),
    Constraint(
        id="fabricated_requires_cited",
        severity="block",
        given="fabricated_source",
        needs="source_cited",
        to_be=True,
    ),
)


def retrieval(plan: Plan, _criteria: int) -> Task:
    return Task(
        id="retrieval_full",
        task_type="retrieval",
        prefix="ret",
        title=Text("Retrieval, three questions", "Suche, drei Fragen").of(plan.language),
        unit="chunk",
        fields=binary.passage_fields(plan.language),
        questions=_asked(_RETRIEVAL, plan.language),
        constraints=_weighed(RETRIEVAL_CONSTRAINTS, plan),
        shown=binary.shown_passage,
        missing=binary.NO_PASSAGE,
    )


def grounding(plan: Plan, _criteria: int) -> Task:
    return Task(
        id="grounding_full",
        task_type="grounding",
        prefix="gnd",
        title=Text("Grounding, five questions", "Belegtheit, fünf Fragen").of(plan.language),
        fields=binary.context_fields(plan.language),
        questions=_asked(_GROUNDING, plan.language),
        constraints=_weighed(GROUNDING_CONSTRAINTS, plan),
        shown=binary.shown_with_context,
        missing=binary.NO_CONTEXT,
    )


def generation(plan: Plan, _criteria: int) -> Task:
    return Task(
        id="generation",
        task_type="generation",
        prefix="gen",
        title=Text("Generation, five questions", "Antwortqualität, fünf Fragen").of(plan.language),
        fields=binary.answer_fields(plan.language),
        questions=_asked(_GENERATION, plan.language),
        shown=binary.shown_answer,
    )


def _asked(questions: Mapping[str, Text], language: Language) -> tuple[Asked, ...]:
    return tuple(yes_no(language, title, name) for name, title in questions.items())


def _weighed(constraints: tuple[Constraint, ...], plan: Plan) -> tuple[Constraint, ...]:
    """As severe as the plan says; without those that it switches off."""
    said = {each.id: plan.severities.get(each.id, each.severity) for each in constraints}
    return tuple(
        each.model_copy(update={"severity": said[each.id]})
        for each in constraints
        if said[each.id] != "off"
    )
