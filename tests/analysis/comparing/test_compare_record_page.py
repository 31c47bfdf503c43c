"""One record as each run answered it, side by side."""

from collections.abc import Callable

from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries as MaxQueries

from apps.accounts.models import Workspace
from apps.runs.models import Result, Run
from tests.runs import building
from tests.runs.building import FAILED_CONTRACT, PASSED
from tests.runs.pages import HOSTILE

from .building import a_run, asks
from .pages import Answered, Shown, after, asked, before, ended, listed, shown, version

__all__ = ["after", "asked", "before", "ended", "listed", "shown", "version"]


def says(run: Run, ordinal: int, response: str, **more: object) -> None:
    Result.objects.filter(run=run, ordinal=ordinal).update(response=response, **more)


def test_answers_stand_side_by_side_with_their_words_marked(
    asked: Answered, before: Run, after: Run
) -> None:
    says(before, 55, "the red lamp")
    says(after, 55, "the blue lamp")

    page = asked(before, after, name="compare-record", args=[55]).content.decode()

    assert "the <del>red </del>lamp" in page
    assert "the <ins>blue </ins>lamp" in page


def test_what_is_the_same_is_left_out_until_all_is_wanted(
    shown: Shown, before: Run, after: Run
) -> None:
    same = "word " * 400
    says(before, 55, f"{same}red")
    says(after, 55, f"{same}blue")

    short, full = shown(before, after, ordinal=55), shown(before, after, ordinal=55, full="1")

    assert short.count("word") < 200
    assert full.count("word") == 800


def test_long_answers_are_cut_which_is_told(shown: Shown, before: Run, after: Run) -> None:
    says(after, 55, "a b c d e " * 40_000)

    page = shown(before, after, ordinal=55, full="1")

    assert "Only its first 8,000 characters are compared" in page
    assert len(page) < 60_000


def test_scores_measures_and_the_move_stand_beside(shown: Shown, before: Run, after: Run) -> None:
    page = shown(before, after, ordinal=55, move="worse")

    assert "Worse Pass rate: passes → fails" in page
    assert "exact 1.00 Pass 0.00 Fail" in page
    assert "Tokens in / out 90 / 40 90 / 40" in page


def test_an_error_is_told_with_its_cause(shown: Shown, before: Run, after: Run) -> None:
    page = shown(before, after, ordinal=85)

    assert "Timed out" in page
    assert "No answer within 30 s." in page


def test_neighbours_stay_inside_the_filter(asked: Answered, before: Run, after: Run) -> None:
    first = asked(before, after, name="compare-record", args=[55], move="worse")
    last = asked(before, after, name="compare-record", args=[59], move="worse")
    address = reverse("analysis:compare-record", args=["demo", 56])

    page = first.content.decode()
    runs = f"run={before.pk}&amp;run={after.pk}&amp;baseline={before.pk}&amp;candidate={after.pk}"
    assert f'href="{address}?{runs}&amp;move=worse"' in page
    assert 'data-panel-step="previous"' not in page
    assert 'data-panel-step="next"' not in last.content.decode()


def test_a_record_that_only_the_candidate_has_is_shown(
    shown: Shown, workspace: Workspace, before: Run
) -> None:
    newer = building.make_version(workspace, 104)
    later = building.ended_run(workspace, [PASSED], version=newer, name="newer data")

    page = shown(before, later, ordinal=103, move="only_candidate")

    assert "ticket-00103" in page
    assert "This run does not have the record." in page


def test_partners_of_other_versions_are_found_by_what_was_asked(
    shown: Shown, workspace: Workspace
) -> None:
    first, second = a_run(workspace, "+-"), a_run(workspace, "-+")
    asks(first.dataset_version, ["one", "two"])
    asks(second.dataset_version, ["two", "one"])
    says(second, 1, "said of one")

    assert "said of one" in shown(first, second, ordinal=0, full="1")


def test_several_runs_stand_beside_each_other(
    shown: Shown, before: Run, after: Run, ended: Callable[..., Run]
) -> None:
    third = ended([FAILED_CONTRACT], name="v16 prompt")

    page = shown(before, after, third, ordinal=5)

    assert all(name in page for name in ("v14 prompt", "v15 prompt", "v16 prompt"))
    assert "exact 1.00 Pass 1.00 Pass 0.00 Fail" in page


def test_a_record_that_nobody_has_is_not_found(shown: Shown, before: Run, after: Run) -> None:
    shown(before, after, ordinal=4_000, status=404)
    shown(before, after, ordinal=10**30, status=404)


def test_answers_that_would_be_markup_are_text(asked: Answered, before: Run, after: Run) -> None:
    says(before, 55, HOSTILE)
    says(after, 55, f"{HOSTILE} once more")

    page = asked(before, after, name="compare-record", args=[55]).content.decode()

    assert "<script>alert(1)" not in page
    assert "<img src=x" not in page


def test_without_runs_a_record_leads_back_to_choosing(client: Client, shown: Shown) -> None:
    assert "0 runs were chosen. Choose two to eight." in shown(status=422)


def test_one_record_takes_as_many_queries_in_eight_runs_as_in_two(
    asked: Answered,
    before: Run,
    after: Run,
    ended: Callable[..., Run],
    django_assert_max_num_queries: MaxQueries,
) -> None:
    more = [ended([PASSED]) for _ in range(6)]
    asked(before, after, *more)

    with django_assert_max_num_queries(20):
        asked(before, after, *more, name="compare-record", args=[5], baseline=before.pk)


def test_tries_of_a_record_are_looked_at_one_by_one(
    shown: Shown, listed: Shown, workspace: Workspace
) -> None:
    data = building.make_version(workspace, 20)
    first, second = (
        building.ended_run(workspace, [PASSED, FAILED_CONTRACT, PASSED], version=data, trials=3)
        for _ in range(2)
    )
    Result.objects.filter(run=second, ordinal=0, trial=1).update(response="said at the second try")

    page = shown(first, second, ordinal=0, trial="1", full="1")

    assert "Trial 1 Trial 2 Trial 3" in page
    assert "said at the second try" in page
    assert "67 %" in listed(first, second)
