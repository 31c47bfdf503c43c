"""What people said of an answer as pass or fail: passages, faults, and what cannot be read."""

import pytest

from apps.accounts.models import User, Workspace
from apps.analysis.calibration.declaring import declare
from apps.analysis.calibration.frames import (
    NOT_ALL,
    UNREADABLE,
    Verdicts,
    human_verdicts,
    passages_of,
)
from apps.analysis.models import Calibration
from apps.labeling.models import Campaign, Item, Question
from apps.labeling.settling.truth import truths
from tests.datasets.pairs import a_pair, lines_of, pairs_version, uploaded
from tests.labeling.labelled import a_campaign, a_question, items_of, say

from .building import computed, held, matched, the_line

PASSAGES = ("c1", "c2")


def by_passage(workspace: Workspace) -> Question:
    """Of one answer with two passages, each of which people are asked about."""
    campaign = a_campaign(workspace, 1)
    [whole] = items_of(campaign)
    for chunk in PASSAGES:
        Item.objects.create(campaign=campaign, result=whole.result, chunk=chunk)
    return a_question(campaign, "retrieval")


def verdicts(question: Question, *, yes_fails: bool = False) -> Verdicts:
    campaign = question.campaign
    campaign.items.update(probability=1)
    against = Calibration(campaign=campaign, question=question, yes_fails=yes_fails)
    return human_verdicts(campaign, against, truths(campaign), passages_of(campaign))


def of_the_answer(question: Question, **said: bool) -> tuple[bool | None, str]:
    found = verdicts(question, **said)
    [result] = found.passed
    return found.passed[result], found.why[result]


@pytest.mark.parametrize(
    ("labels", "yes_fails", "expected"),
    [
        (("false", "-"), False, (None, NOT_ALL)),
        (("true", "-"), False, (True, "")),
        (("false", "false"), False, (False, "")),
        (("false", "true"), False, (True, "")),
        (("false", "-"), True, (None, NOT_ALL)),
        (("true", "-"), True, (False, "")),
        (("false", "false"), True, (True, "")),
        (("-", "-"), False, (None, "")),
    ],
)
def test_passages_decide_together_unless_one_settles_it(
    workspace: Workspace,
    labels: tuple[str, str],
    yes_fails: bool,
    expected: tuple[bool | None, str],
) -> None:
    question = by_passage(workspace)

    say(question, "bob", labels, first=1)

    assert of_the_answer(question, yes_fails=yes_fails) == expected


def test_a_passage_on_which_people_disagree_leaves_the_answer_open(workspace: Workspace) -> None:
    question = by_passage(workspace)

    say(question, "bob", ("false", "true"), first=1)
    say(question, "dora", ("false", "false"), first=1)

    assert of_the_answer(question) == (None, "people disagree")


def test_an_answer_asked_about_as_a_whole_waits_for_no_passage(workspace: Workspace) -> None:
    question = by_passage(workspace).campaign.questions.get(task_type="grounding")

    say(question, "bob", ("false",))

    assert of_the_answer(question) == (False, "")


def test_words_that_say_neither_are_not_told_as_unlabelled(workspace: Workspace) -> None:
    question = a_campaign(workspace, 1).questions.get()

    say(question, "bob", ("perhaps",))

    assert of_the_answer(question) == (None, UNREADABLE)


def test_an_import_that_leaves_a_passage_out_says_nothing_of_the_answer(
    workspace: Workspace,
) -> None:
    chunks = [{"chunk_id": chunk, "text": f"About {chunk}."} for chunk in PASSAGES]
    pairs = [a_pair(number, chunks=chunks) for number in range(2)]
    pairs_version(workspace, lines_of(*pairs), "pairs.jsonl")

    campaign = computed(brought(workspace, p0=PASSAGES[:1], p1=PASSAGES))

    numbers = the_line(campaign).numbers
    assert (numbers.confusion.n, numbers.confusion.true_fail) == (1, 1)
    assert [(each.reason, each.count) for each in numbers.left_out] == [(NOT_ALL, 1)]


def brought(workspace: Workspace, **labelled: tuple[str, ...]) -> Campaign:
    """Bob says no to these passages of each pair, and the judge finds all of them bad."""
    asked = {"task_type": "retrieval", "label": False, "annotator_id": "bob", "annotated_at": ""}
    judged = {"metric_family": "retrieval", "score": 0.1, "method": "model_based"}
    rows = [{"id": pair, "chunk_id": each, **asked} for pair in labelled for each in labelled[pair]]
    uploaded(workspace, lines_of(*rows), "labels.jsonl")
    uploaded(workspace, lines_of(*({"id": pair, **judged} for pair in labelled)), "scores.jsonl")
    return Campaign.objects.get()


def test_people_pass_an_answer_where_they_say_no_to_a_fault(
    workspace: Workspace, alice: User
) -> None:
    campaign = held(workspace, [True] * 5 + [False] * 20, [0.1] * 5 + [0.9] * 20)

    declare(matched(), {"matched": True, "yes_fails": True}, by=alice)
    computed(campaign)

    confusion = the_line(campaign).numbers.confusion
    assert (confusion.true_pass, confusion.true_fail, confusion.n) == (20, 5, 25)


@pytest.mark.parametrize("odd", ["nan", "inf", "-inf"])
def test_a_word_that_only_looks_like_a_number_is_none(workspace: Workspace, odd: str) -> None:
    question = a_question(a_campaign(workspace, 4), "own", kind="choice", options=[])
    say(question, "bob", (odd, "1", "2", "3"))

    found = verdicts(question)

    passed = [found.passed[item.result_id] for item in items_of(question.campaign)]
    assert passed == [None, False, False, True]


def test_a_scale_with_a_fault_at_its_upper_end_passes_below_the_label(
    workspace: Workspace,
) -> None:
    scale = [[str(value), str(value)] for value in range(1, 6)]
    question = a_question(a_campaign(workspace, 3), "own", kind="rating", options=scale)
    say(question, "bob", ("1", "4", "5"))

    found = verdicts(question, yes_fails=True)

    assert list(found.passed.values()) == [True, False, False]
