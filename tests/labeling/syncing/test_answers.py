"""What a response says, question by question."""

from datetime import UTC, datetime
from typing import Any

from apps.labeling.desk.protocol import Response
from apps.labeling.plans import Plan
from apps.labeling.syncing.answers import Answer, answer_of, names_of
from apps.labeling.task_types import task
from apps.labeling.task_types.base import Task

MOMENT = datetime(2026, 3, 2, 9, tzinfo=UTC)
OWN = [
    {"name": "tone", "title": "Which tone?", "kind": "choice", "options": [["a", "A"], ["b", "B"]]},
    {"name": "flaws", "title": "Flaws?", "kind": "several", "options": [["x", "X"], ["y", "Y"]]},
    {"name": "better", "title": "Say it better", "kind": "text", "required": False},
]


def own() -> Task:
    asked = [
        {**each, "options": [{"value": v, "title": t} for v, t in each.get("options", [])]}
        for each in OWN
    ]
    return task(Plan.model_validate({"tasks": ["own"], "own": asked}), "own")


def of(task_id: Any) -> Task:
    return task(Plan(tasks=(task_id,)), task_id)


def said(status: Any = "submitted", **values: Any) -> Response:
    return Response(
        id="1",
        external_id="item-1",
        person_id="2",
        status=status,
        values=values,
        inserted_at=MOMENT,
        updated_at=MOMENT,
    )


def test_a_task_of_one_question_gives_the_label_of_the_task_itself() -> None:
    answer = answer_of(said(label="true", notes=" clear "), of("grounding"))

    assert answer == Answer(labels={"": "true"}, notes="clear")


def test_each_question_of_a_fuller_task_gives_a_label() -> None:
    values = {"topically_relevant": "true", "evidence_sufficient": "false", "misleading": "false"}

    answer = answer_of(said(**values), of("retrieval_full"))

    assert answer == Answer(labels=values)


def test_a_rating_is_the_text_of_its_number() -> None:
    assert answer_of(said(label=4), of("reference")) == Answer(labels={"": "4"})


def test_several_options_are_one_label_in_the_order_of_the_question() -> None:
    answer = answer_of(said(tone="b", flaws=["y", "x"]), own())

    assert answer == Answer(labels={"tone": "b", "flaws": "x; y"})


def test_an_optional_question_left_empty_has_no_label() -> None:
    answer = answer_of(said(tone="a", flaws=["x"], better="  "), own())

    assert answer is not None
    assert "better" not in answer.labels


def test_an_option_that_the_question_no_longer_has_is_not_lost() -> None:
    answer = answer_of(said(flaws=["y", "gone"]), own())

    assert answer == Answer(labels={"flaws": "gone; y"})


def test_a_draft_says_nothing() -> None:
    assert answer_of(said("draft", label="true"), of("grounding")) is None


def test_a_discard_has_its_reason_and_no_labels() -> None:
    answer = answer_of(said("discarded", label="true", discard_reason="unclear"), of("grounding"))

    assert answer == Answer(discard_reason="unclear")


def test_a_discard_without_a_reason_says_that_none_was_given() -> None:
    answer = answer_of(said("discarded", notes="?"), of("grounding"))

    assert answer == Answer(discard_reason="no_reason_given", notes="?")


def test_a_checklist_gives_yes_or_no_for_each_criterion_of_the_record() -> None:
    answer = answer_of(said(label=["3", "1"]), of("rubric"), 3)

    assert answer == Answer(
        labels={"criterion-1": "true", "criterion-2": "false", "criterion-3": "true"},
        ticked=("3", "1"),
    )


def test_none_of_a_checklist_is_no_for_every_criterion() -> None:
    answer = answer_of(said(label=["none"]), of("rubric"), 2)

    assert answer is not None
    assert answer.labels == {"criterion-1": "false", "criterion-2": "false"}


def test_a_number_that_the_record_does_not_have_makes_no_label() -> None:
    answer = answer_of(said(label=["2", "5"]), of("rubric"), 2)

    assert answer is not None
    assert answer.labels == {"criterion-1": "false", "criterion-2": "true"}


def test_an_item_is_asked_as_many_criteria_as_its_record_has() -> None:
    assert names_of(of("rubric"), 2) == ["criterion-1", "criterion-2"]
    assert names_of(of("grounding"), 2) == [""]
