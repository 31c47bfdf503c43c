"""What people see and are asked, task by task."""

import pytest

from apps.grading.subjects import Chunk, RubricItem, SessionRun, Subject, ToolCall, Turn
from apps.labeling.desk.protocol import Shape
from apps.labeling.plans import Asked, Plan
from apps.labeling.task_types import MAKERS, MOST_CRITERIA, showing, task, tasks_of
from apps.labeling.task_types.asking import beside
from apps.labeling.task_types.base import NONE_MET

OWN = Plan(tasks=("own",), own=(Asked(name="helpful", title="Is it helpful?"),))
EVERY = OWN.model_copy(update={"tasks": tuple(MAKERS)})  # more than one campaign may ask
GERMAN = EVERY.model_copy(update={"language": "de"})
CRITERIA = tuple(RubricItem(id=f"c{n}", title=f"Criterion number {n}") for n in range(1, 61))


def shown(name: str, subject: Subject, unit: str = "", plan: Plan = EVERY) -> dict[str, str]:
    texts = task(plan, name).shown(subject, unit)  # type: ignore[arg-type]
    assert texts is not None
    return texts


@pytest.mark.parametrize(
    ("name", "task_type", "questions"),
    [
        ("retrieval", "retrieval", [""]),
        ("grounding", "grounding", [""]),
        ("relevance", "relevance", [""]),
        (
            "retrieval_full",
            "retrieval",
            ["topically_relevant", "evidence_sufficient", "misleading"],
        ),
        (
            "grounding_full",
            "grounding",
            [
                *("support_present", "unsupported_claim_present", "contradicted_claim_present"),
                *("source_cited", "fabricated_source"),
            ],
        ),
        (
            "generation",
            "generation",
            ["proper_action", "response_on_topic", "helpful", "incomplete", "unsafe_content"],
        ),
    ],
)
def test_the_tasks_of_contract_and_specification(
    name: str, task_type: str, questions: list[str]
) -> None:
    found = task(EVERY, name)  # type: ignore[arg-type]

    assert found.task_type == task_type
    assert [asked.name for asked in found.questions] == questions
    assert all([o.value for o in asked.options] == ["true", "false"] for asked in found.questions)
    assert all(asked.required for asked in found.questions)


def test_every_text_is_there_in_both_languages_and_every_value_in_one() -> None:
    for english, german in zip(tasks_of(EVERY), tasks_of(GERMAN), strict=True):
        assert english.title != german.title
        for ours, theirs in zip(english.rows, german.rows, strict=True):
            assert (ours.title != theirs.title) == (english.id != "own")
            assert [o.value for o in ours.options] == [o.value for o in theirs.options]
    assert [each.title for each in beside("en")] != [each.title for each in beside("de")]


def test_names_at_the_desk_are_unique_in_every_queue() -> None:
    for found in tasks_of(EVERY):
        names = [
            *(field.name for field in found.fields),
            *(asked.key for asked in found.questions),
            *(asked.key for asked in beside("en")),
        ]
        assert len(set(names)) == len(names), found.id


def test_no_text_of_a_model_is_rendered_as_markdown() -> None:
    assert not any(field.markdown for found in tasks_of(EVERY) for field in found.fields)
    hostile = "<script>alert(1)</script> ![x](http://example.org/x.png)"

    assert shown("relevance", Subject(prompt=hostile, response=hostile))["response"] == hostile


def test_the_four_constraints_are_as_severe_as_the_plan_says() -> None:
    own = {"evidence_requires_relevance": "warn", "fabricated_requires_cited": "off"}
    mild = EVERY.model_copy(update={"severities": own})

    def severities(plan: Plan) -> dict[str, str]:
        return {each.id: each.severity for found in tasks_of(plan) for each in found.constraints}

    assert severities(EVERY) == {
        "evidence_requires_relevance": "block",
        "evidence_excludes_misleading": "warn",
        "contradiction_requires_unsupported": "block",
        "fabricated_requires_cited": "block",
    }
    assert severities(mild) == {
        "evidence_requires_relevance": "warn",
        "evidence_excludes_misleading": "warn",
        "contradiction_requires_unsupported": "block",
    }


def test_a_conversation_reads_as_one() -> None:
    turns = (
        Turn(role="system", content="Be brief."),
        Turn(role="user", content="Find the order."),
        Turn(role="assistant", tool_calls=(ToolCall(name="find", arguments={"id": 7}),)),
        Turn(role="user", content="And?"),
    )

    texts = shown("relevance", Subject(prompt="And?", messages=turns, response="It is on its way."))

    assert texts["query"] == (
        'System: Be brief.\n\nUser: Find the order.\n\nAssistant: → find({"id":7})\n\nUser: And?'
    )


def test_a_session_shows_each_of_its_runs_and_what_it_did() -> None:
    runs = (
        SessionRun(
            user_input="Refund me.",
            output_text="Done.",
            tool_calls=(ToolCall(name="refund", arguments={"sum": 5}, result="ok"),),
        ),
        SessionRun(user_input="Thanks.", output_text="You are welcome."),
    )

    texts = shown("relevance", Subject(prompt="Refund me.", response="Done.", session=runs))

    assert texts["response"] == (
        'User: Refund me.\n\nAssistant: → refund({"sum":5})\n← ok\nDone.\n\n'
        "User: Thanks.\n\nAssistant: You are welcome."
    )


def test_a_passage_is_judged_by_itself() -> None:
    chunks = (Chunk(id="a", text="First.", rank=1), Chunk(id="b", text=" ", rank=2))
    subject = Subject(prompt="What?", response="This.", chunks=chunks)

    assert shown("retrieval", subject, "a")["chunk"] == "First."
    assert task(EVERY, "retrieval").shown(subject, "b") is None
    assert shown("grounding", subject)["context"] == "[a]\nFirst."


def test_a_checklist_has_the_criteria_with_their_numbers() -> None:
    subject = Subject(prompt="What?", response="This.", rubric=CRITERIA[:3])

    asked = task(EVERY, "rubric", 3)

    assert shown("rubric", subject)["criteria"].splitlines()[::2] == [
        "1. Criterion number 1",
        "2. Criterion number 2",
        "3. Criterion number 3",
    ]
    assert [o.value for o in asked.questions[0].options] == ["1", "2", "3", NONE_MET]
    assert asked.questions[0].kind == "several"
    assert [row.name for row in asked.rows] == ["criterion-1", "criterion-2", "criterion-3"]


def test_criteria_beyond_fifty_are_counted() -> None:
    texts = shown("rubric", Subject(prompt="What?", response="This.", rubric=CRITERIA))

    assert f"{MOST_CRITERIA}. Criterion" in texts["criteria"]
    assert "51. Criterion" not in texts["criteria"]
    assert "(10 further criteria are not asked for.)" in texts["criteria"]


@pytest.mark.parametrize(
    ("text", "criteria"),
    [
        ("- Names the date\n- Is polite", ("Names the date", "Is polite")),
        ("1. Names the date\n2) Is polite", ("Names the date", "Is polite")),
        (
            "The answer names the date\nand is polite.",
            ("The answer names the date\nand is polite.",),
        ),
        ("", ()),
    ],
)
def test_criteria_in_prose_are_one_unless_they_are_a_list(
    text: str, criteria: tuple[str, ...]
) -> None:
    assert showing.criteria(Subject(criteria=text)) == criteria


def test_an_answer_stands_against_its_reference_on_a_scale() -> None:
    subject = Subject(prompt="When?", response="May.", reference_answers=("In May.", "5/2026"))
    [asked] = task(EVERY, "reference").questions

    assert shown("reference", subject)["reference"] == "In May.\n5/2026"
    assert (asked.kind, asked.level) == ("rating", "ordinal")
    assert [option.value for option in asked.options] == ["1", "2", "3", "4", "5"]


def test_a_shape_may_be_made_of_every_task() -> None:
    for found in tasks_of(GERMAN, 4):
        shape = Shape(fields=found.fields, questions=(*found.questions, *beside("de")))
        assert shape.questions[-1].key == "notes"
