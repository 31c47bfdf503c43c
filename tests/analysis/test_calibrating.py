"""Judges against people: the numbers, the conflicts, and what is refused."""

import pytest

from apps.accounts.models import User, Workspace
from apps.analysis.calibration.computing import ask_again
from apps.analysis.calibration.declaring import declare
from apps.analysis.calibration.known import held_against_people
from apps.analysis.calibration.lines import lines_of
from apps.analysis.models import Calibration
from apps.labeling.models import Campaign, Item, Review
from apps.runs.recorded.imported import label_of
from tests.datasets.pairs import pairs_version, real, uploaded
from tests.labeling.labelled import START, a_campaign, settle

from .building import brought_scores, computed, computed_again, held, matched, the_line

HUMAN = [True] * 15 + [False] * 10
JUDGE = [0.9] * 12 + [0.1] * 3 + [0.8] * 4 + [0.2] * 6


@pytest.fixture
def campaign(workspace: Workspace) -> Campaign:
    return held(workspace, HUMAN, JUDGE)


def test_the_matrix_counts_each_answer_once(campaign: Campaign) -> None:
    numbers = the_line(campaign).numbers

    confusion = numbers.confusion
    assert (confusion.true_pass, confusion.false_fail) == (12, 3)
    assert (confusion.false_pass, confusion.true_fail) == (4, 6)
    assert numbers.sensitivity.point == pytest.approx(12 / 15)
    assert numbers.specificity.point == pytest.approx(6 / 10)
    assert numbers.raw.point == pytest.approx(16 / 25)


def test_labels_of_every_answer_correct_the_rate_to_what_people_say(campaign: Campaign) -> None:
    numbers = the_line(campaign).numbers

    assert numbers.method == "ppi++"
    assert numbers.corrected.point == pytest.approx(15 / 25)


def test_labels_of_some_answers_that_nobody_says_were_drawn_correct_nothing(
    workspace: Workspace,
) -> None:
    campaign = held(workspace, HUMAN, [*JUDGE, *[0.9] * 25])

    numbers = the_line(campaign).numbers

    assert numbers.sample == "unknown"
    assert numbers.corrected.point is None
    assert numbers.why
    assert numbers.units == 50
    assert numbers.confusion.n + sum(each.count for each in numbers.left_out) == 50


def test_an_answer_without_a_score_is_left_out_with_its_reason(workspace: Workspace) -> None:
    campaign = held(workspace, HUMAN, JUDGE[:-5])

    numbers = the_line(campaign).numbers

    assert numbers.confusion.n == 20
    assert [(each.side, each.count) for each in numbers.left_out] == [("judge", 5)]


def test_what_they_differ_on_is_reviewed_once(campaign: Campaign) -> None:
    computed(campaign)

    reviews = Review.objects.filter(reason=Review.Reason.JUDGE)
    assert reviews.count() == 7
    assert matched().conflicts == 7


def test_what_is_gold_elsewhere_is_not_raised_against_a_judge(
    campaign: Campaign, workspace: Workspace
) -> None:
    asked = Review.objects.filter(reason=Review.Reason.JUDGE, state=Review.State.OPEN)
    first = asked.order_by("item")[0]
    Item.objects.filter(pk=first.item_id).update(pair_sha256="a" * 64)
    before = a_campaign(workspace)
    before.items.update(pair_sha256="a" * 64)
    settle(before.questions.get(), 0, "true", gold_at=START)

    ask_again(campaign.pk)
    computed(campaign)

    first.refresh_from_db()
    assert (first.state, asked.count()) == (Review.State.WITHDRAWN, 6)


def test_a_judge_of_another_question_is_computed_but_not_matched(workspace: Workspace) -> None:
    campaign = held(workspace, HUMAN, JUDGE, family="relevance")

    [line] = lines_of(campaign)
    assert not line.row.matched
    assert line.numbers.confusion.n == 25
    assert not Review.objects.exists()
    [held_judge] = held_against_people(campaign.run).values()
    assert (held_judge.labels, held_judge.corrected) == (0, None)
    assert "another question" in held_judge.why


def test_a_lead_may_say_that_two_ask_the_same(workspace: Workspace, alice: User) -> None:
    campaign = held(workspace, HUMAN, JUDGE, family="relevance")
    said = {"matched": True, "passes_from": None, "threshold": 0.85}

    declare(Calibration.objects.get(), said, by=alice)
    computed(campaign)

    assert the_line(campaign).numbers.confusion.true_pass == 12
    assert the_line(campaign).numbers.confusion.false_pass == 0
    assert Review.objects.filter(reason=Review.Reason.JUDGE).count() == 3


def test_the_run_knows_its_judge_and_the_corrected_rate(campaign: Campaign) -> None:
    found = held_against_people(campaign.run)

    [held_judge] = found.values()
    assert list(found) == [label_of("grounding", "model_based", "import:scores.csv")]
    assert held_judge.labels == 25
    assert held_judge.corrected is not None
    assert held_judge.corrected.point == pytest.approx(15 / 25)


def test_scores_that_come_after_the_labels_were_computed_are_held_against_them(
    workspace: Workspace,
) -> None:
    campaign = held(workspace, HUMAN, [])
    first = lines_of(campaign)

    brought_scores(workspace, JUDGE)
    computed_again(lambda: bool(lines_of(campaign)))

    assert first == []
    assert the_line(campaign).numbers.confusion.n == 25


def test_an_archived_campaign_calibrates_nothing(campaign: Campaign) -> None:
    Campaign.objects.update(archived_at=campaign.created_at)

    assert held_against_people(campaign.run) == {}


def test_real_judge_scores_agree_with_a_count_by_hand(workspace: Workspace) -> None:
    pairs_version(workspace, real("rag/mtrag_pairs.csv").read_bytes())
    for name in ("mtrag_labels.csv", "mtrag_judge_scores.csv"):
        uploaded(workspace, real(f"rag/{name}").read_bytes(), name)
    campaign = computed(Campaign.objects.get())

    lines = [line for line in lines_of(campaign) if line.row.matched]

    assert len(lines) == 3
    for line in lines:
        assert line.numbers.confusion.model_dump() == _counted(line.row.rule, line.row.method)
        assert line.numbers.confusion.n + sum(x.count for x in line.numbers.left_out) == 318


def _counted(family: str, method: str) -> dict[str, int]:
    """The majority of each pair's labels against the score, from the files alone."""
    import csv

    votes: dict[str, list[bool]] = {}
    for row in csv.DictReader(real("rag/mtrag_labels.csv").open()):
        if row["task_type"] == family:
            votes.setdefault(row["id"], []).append(row["label"] == "true")
    found = {"true_pass": 0, "false_pass": 0, "false_fail": 0, "true_fail": 0}
    for row in csv.DictReader(real("rag/mtrag_judge_scores.csv").open()):
        said = votes.get(row["id"], [])
        if (row["metric_family"], row["method"]) == (family, method) and 2 * sum(said) != len(said):
            human, judge = 2 * sum(said) > len(said), float(row["score"]) >= 0.5
            name = f"{'true' if human is judge else 'false'}_{'pass' if judge else 'fail'}"
            found[name] += 1
    return found
