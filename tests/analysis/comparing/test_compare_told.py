"""What a comparison says of itself, over HTTP: once, and no more than can be said."""

from collections.abc import Callable
from html import unescape

from apps.accounts.models import Workspace
from apps.analysis.showing import words
from apps.metrics.compared import Difference, Moves
from apps.metrics.contracts import Interval
from apps.runs.models import Run
from tests.analysis.trends.building import judged as by_a_judge
from tests.runs import building
from tests.runs.pages import words_of

from .building import asks
from .pages import Opener, after, asked, before, ended, opened, version

__all__ = ["after", "asked", "before", "ended", "opened", "version"]


def says(page: str) -> str:
    return unescape(words_of(page))


def test_without_a_record_in_common_that_is_said_once_and_nothing_beside_it(
    opened: Opener, workspace: Workspace, ended: Callable[..., Run]
) -> None:
    first, other = (building.make_version(workspace, 30, name=name) for name in ("one", "two"))
    asks(other, (f"{n:02d} of the other" for n in range(30)))

    page = says(opened(ended(version=first), ended(version=other)))

    assert "0 shared 30 only in A 30 only in B" in page
    assert page.count("No record in common") == 1
    assert "may explain a difference" not in page
    for untrue in ("carry no tags", "carries a tag", "inconclusive", "too few", "By metric"):
        assert untrue not in page


def test_only_judges_that_a_rule_asked_are_said_to_have_judged(
    opened: Opener, workspace: Workspace, before: Run, after: Run
) -> None:
    for run in (before, after):
        building.with_judge(run, "strict judge")
    assert "strict judge" not in says(opened(before, after))

    by_a_judge(workspace, [after])
    page = says(opened(before, after))
    assert page.count("judged by strict judge v1") == 1
    assert page.count("without judges; the run spent") == 1


def test_the_headline_counts_what_tells_of_the_quality_and_each_thing_once(
    opened: Opener, before: Run, after: Run
) -> None:
    """The score of 0 or 1 says what the pass rate says; tokens and cost are no quality."""
    headline = (
        opened(before, after).partition('aria-label="Verdicts"')[2].partition("</section>")[0]
    )

    assert "Pass rate" in says(headline)
    assert "Other" not in says(headline)


def test_scores_between_0_and_1_are_drawn(opened: Opener, before: Run, after: Run) -> None:
    assert "Scores record by record" in opened(before, after)


def test_scores_of_0_or_1_are_not_drawn_and_shares_are_drawn_once(
    opened: Opener, before: Run, after: Run
) -> None:
    for run in (before, after):
        for result in run.results.all():
            run.results.filter(pk=result.pk).update(score=float(result.verdict == "passed"))
    page = opened(before, after)

    assert "Scores record by record" not in page
    assert "Differences of shares" not in page
    assert "Latency" in page.partition("These differences as CSV")[2]
    assert "scores have a picture where some lie between 0 and 1" in page


def test_a_verdict_takes_a_line_and_the_rest_of_it_opens(
    opened: Opener, before: Run, after: Run
) -> None:
    metrics = opened(before, after).partition('id="metrics"')[2].partition("</table>")[0]

    verdict = metrics.partition('data-label="Verdict">')[2].partition("</td>")[0]
    told, _, opens = verdict.partition("<details")
    assert "Better" in told
    assert "<p class" not in told
    assert "errors as fails" in opens


def interval(low: float, high: float) -> Interval:
    return Interval(point=(low + high) / 2, low=low, high=high, n=40, method="", reason="")


def test_a_cost_that_digits_cannot_tell_is_told_without_them() -> None:
    assert words.change(-0.0000016, "usd") == "under $0.00001 less"
    assert words.bounds(interval(-0.0000016, -0.000000065), "usd") == "within $0.00001 of 0"
    assert words.bounds(interval(-0.0000016, 0.00042), "usd") == "$0.00 to +$0.00042"


def test_bounds_in_points_name_their_unit_once() -> None:
    assert words.bounds(interval(-0.097, 0.036), "percent") == "−9.7 to +3.6 points"


def test_a_verdict_below_the_digits_that_are_shown_is_no_news() -> None:
    moves = Moves(better=1, worse=0, same=39, error=0, unscored=0)
    found = Difference(
        metric="score_mean",
        binary=False,
        higher_is_better=True,
        moves=moves,
        baseline=interval(0.5, 0.7),
        candidate=interval(0.5, 0.7),
        difference=interval(0.0001, 0.0003),
        p=0.01,
        test="",
        verdict="better",
        reason="",
        detectable=None,
    )

    assert not words.is_told(found)
    assert words.is_told(found.model_copy(update={"difference": interval(0.1, 0.3)}))
