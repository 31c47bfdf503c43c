"""What the page says of two runs: verdicts, why, by slice."""

import re
from base64 import b64decode
from collections.abc import Callable
from html import unescape

from django.urls import reverse

from apps.accounts.models import Workspace
from apps.analysis.comparing import body_of, comparison_of
from apps.runs.models import Run
from tests.runs import building
from tests.runs.building import FAILED_CONTRACT, PASSED
from tests.runs.pages import judged

from .building import two_runs
from .pages import Opener, after, asked, before, ended, opened, says, version

__all__ = ["after", "asked", "before", "ended", "judged", "opened", "version"]


def test_a_better_run_is_called_better_with_what_that_rests_on(
    opened: Opener, before: Run, after: Run
) -> None:
    page = says(opened(before, after))

    assert "Better Pass rate 60.6 % → 80.8 %: +20.2 points" in page
    assert "p < .001 by exact McNemar, n = 99." in page
    assert "100 shared 0 only in A 0 only in B" in page


def test_the_same_answers_are_inconclusive_with_what_would_show(
    opened: Opener, before: Run, ended: Callable[..., Run]
) -> None:
    once_more = ended([*[FAILED_CONTRACT] * 2, *[PASSED] * 60, *[FAILED_CONTRACT] * 38])

    page = says(opened(before, once_more))

    assert "Inconclusive Pass rate 60.0 % → 60.0 %: 0.0 points" in page
    assert "100 records show a difference of" in page


def test_moves_are_counted_and_lead_to_their_records(
    opened: Opener, before: Run, after: Run
) -> None:
    page = opened(before, after)
    address = reverse("analysis:compare-records", args=["demo"])

    runs = f"run={before.pk}&amp;run={after.pk}&amp;baseline={before.pk}&amp;candidate={after.pk}"
    assert f"{address}?{runs}&amp;metric=pass_rate&amp;move=worse" in page
    assert "25 better 5 worse 1 error 69 same" in says(page)


def test_the_difference_with_errors_as_fails_stands_beside(
    opened: Opener, before: Run, after: Run
) -> None:
    assert "errors as fails: +20.0 points" in says(opened(before, after))


def test_a_verdict_that_errors_would_change_is_told_on_top(
    opened: Opener, before: Run, ended: Callable[..., Run]
) -> None:
    broken = ended([*[building.TIMED_OUT] * 20, *[PASSED] * 40, *[FAILED_CONTRACT] * 40])

    page = says(opened(before, broken))

    assert "With errors as fails it would be worse: −20.0 points." in page


def test_slices_are_told_by_family_and_those_of_few_records_say_so(
    opened: Opener, before: Run, after: Run
) -> None:
    by_language = says(opened(before, after, family="metadata.language"))

    assert "Turkish" in by_language
    assert "too few" in by_language
    assert "chat" in says(opened(before, after, family="metadata.channel"))


def better_in_one_slice(workspace: Workspace) -> tuple[Run, Run]:
    """6 of 34 mails got better and nothing else: alone p = .031, among many slices nothing."""
    return two_runs(workspace, "-++" * 6 + "+" * 82, "+" * 100)


def test_a_bar_that_leaves_out_0_beside_inconclusive_says_why(
    opened: Opener, workspace: Workspace
) -> None:
    page = says(opened(*better_in_one_slice(workspace), family="metadata.channel"))

    assert "Bar: 95 % interval of the slice by itself" in page
    assert re.search(r"counts that \d+ slices are looked at, those of other groupings too", page)
    mail = page.partition("These differences as CSV")[0].partition("p after Holm")[2]
    assert re.search(
        r"mail .*? = \.\d+ alone p = \.031 Inconclusive why The bar leaves out 0, yet among so "
        "many slices that may be chance",
        mail,
    )
    assert mail.count("bar leaves out 0") == 1


def test_a_family_of_one_slice_is_adjusted_too_and_says_so(
    opened: Opener, workspace: Workspace
) -> None:
    page = says(opened(*better_in_one_slice(workspace), family="task_type"))

    assert "Bar: 95 % interval of the slice by itself" in page
    assert "alone p = .031 Inconclusive why The bar leaves out 0" in page


def test_where_one_slice_alone_is_large_enough_nothing_is_adjusted(
    opened: Opener, workspace: Workspace
) -> None:
    runs = two_runs(workspace, "-" * 6 + "+" * 24, "+" * 30)

    page = says(opened(*runs, family="task_type"))

    assert "one slice alone is large enough for a verdict, so nothing is adjusted" in page
    assert "by itself ·" not in page
    few = says(opened(*runs, family="metadata.channel"))
    assert re.search(r"mail .*? – alone p = ", few), "what is too small is not adjusted for others"


def test_the_table_of_slices_as_csv_has_p_after_holm(opened: Opener, workspace: Workspace) -> None:
    page = opened(*better_in_one_slice(workspace), family="metadata.channel")

    address = re.search(r'href="(data:[^"]+)" download="differences-by-channel', page)
    assert address
    table = b64decode(unescape(address[1]).partition("base64,")[2]).decode()
    assert re.search(r"mail,.*Inconclusive, p = \.\d+ by Holm", table)


def test_of_fewer_records_than_a_verdict_takes_nothing_is_promised(
    opened: Opener, workspace: Workspace
) -> None:
    first, second = two_runs(workspace, "+-" * 9, "-+" * 9)

    page = says(opened(first, second))

    assert "Inconclusive too few Pass rate" in page
    assert "a verdict takes 20 compared records" in page
    assert "four times of five" not in page
    assert "detects" not in page


def test_why_a_verdict_is_what_it_is_stands_on_the_page(
    opened: Opener, before: Run, after: Run
) -> None:
    page = opened(before, after)
    found = body_of(comparison_of(before, after)).of("pass_rate")

    assert found is not None
    assert found.reason
    reason = f"{found.reason[0].upper()}{found.reason[1:].removesuffix('.')}."
    verdicts, _, metrics = says(page).partition("The runs")
    assert reason in verdicts
    assert re.search(r"Better p < \.001 exact McNemar, n = 99 .*" + re.escape(reason), metrics)
