"""Which pair it is and who gets it, as the annotation specification has it."""

from hashlib import sha256

from apps.grading.subjects import Chunk, Subject
from apps.labeling.plans import Plan
from apps.labeling.sending.units import is_for_everybody, pair_sha256, units_of
from apps.labeling.task_types import task

SUBJECT = Subject(
    prompt="Can I return it?",
    response="Yes.",
    context="Within 60 days.",
    chunks=(Chunk(id="c2", text="Unused.", rank=1), Chunk(id="c1", text="60 days.", rank=2)),
)


def test_a_pair_is_known_by_its_texts_and_chunks() -> None:
    wanted = sha256(b"Can I return it?\0Yes.\0Within 60 days.\0c1|c2").hexdigest()

    assert pair_sha256(SUBJECT) == wanted


def test_the_calibration_share_follows_the_formula() -> None:
    text = "7\0retrieval\0abc:c1"
    fraction = int(sha256(text.encode()).hexdigest()[:8], 16) / 2**32

    def member(share: float) -> bool:
        return is_for_everybody("abc", "c1", "retrieval", seed=7, share=share)

    assert not member(fraction)
    assert member(fraction + 1e-6)


def test_as_many_are_for_everybody_as_the_share_says() -> None:
    members = sum(
        is_for_everybody(str(number), "", "grounding", seed=0, share=0.1) for number in range(5_000)
    )

    assert abs(members - 500) < 4 * (5_000 * 0.1 * 0.9) ** 0.5


def test_nobody_or_everybody_where_the_share_is_none_or_all() -> None:
    every = [
        is_for_everybody(str(number), "", "grounding", seed=0, share=share)
        for share in (0.0, 1.0)
        for number in range(100)
    ]

    assert every == [False] * 100 + [True] * 100


def test_each_passage_is_a_unit_of_retrieval() -> None:
    plan = Plan(tasks=("retrieval", "grounding"))

    assert list(units_of(task(plan, "retrieval"), SUBJECT)) == ["c2", "c1"]
    assert list(units_of(task(plan, "grounding"), SUBJECT)) == [""]


def test_an_answer_without_context_has_nothing_to_ground() -> None:
    bare = Subject(prompt="Hello?", response="Hello.")
    plan = Plan(tasks=("grounding", "reference", "rubric", "relevance"))

    units = {name: list(units_of(task(plan, name), bare)) for name in plan.tasks}

    assert units == {"grounding": [], "reference": [], "rubric": [], "relevance": [""]}
