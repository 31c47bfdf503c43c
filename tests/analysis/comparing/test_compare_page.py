"""The page of runs side by side, over HTTP: what it shows, while it waits, to whom."""

from collections.abc import Callable
from datetime import timedelta

from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User, Workspace
from apps.analysis.models import Comparison
from apps.datasets.models import DatasetVersion
from apps.grading.models import ContractVersion
from apps.jobs.models import JobState
from apps.runs.models import Run
from tests.labeling.building import a_campaign
from tests.runs import building
from tests.runs.building import FAILED_CONTRACT, PASSED
from tests.runs.pages import HOSTILE, judged

from .pages import Answered, Opener, after, asked, before, ended, opened, says, version

__all__ = ["after", "asked", "before", "ended", "judged", "opened", "version"]


BEFORE_AND_WORSE = [*[PASSED] * 30, *[FAILED_CONTRACT] * 70]


def test_an_unknown_metric_is_told_and_the_rest_is_shown(
    opened: Opener, before: Run, after: Run
) -> None:
    page = says(opened(before, after, status=422, metric="nonsense\0"))

    assert "no metric “nonsense” in common" in page
    assert "By metric" in page


def test_other_data_is_a_warning_and_what_does_not_pair_is_counted(
    opened: Opener, workspace: Workspace, before: Run
) -> None:
    later = building.ended_run(
        workspace, [PASSED], version=building.make_version(workspace, 110), name="newer data"
    )

    page = says(opened(before, later))

    assert "beside the answers may explain a difference" in page
    assert "100 shared 0 only in A 10 only in B" in page


def test_of_several_runs_each_has_its_verdict_and_one_is_told_in_detail(
    opened: Opener, before: Run, after: Run, ended: Callable[..., Run]
) -> None:
    third = ended(BEFORE_AND_WORSE, name="v16 prompt")

    page = opened(before, after, third, candidate=third.pk)

    assert "2 runs against v14 prompt" in page
    assert page.count('class="verdict"') == 2
    assert "C less A" in page


def test_names_that_would_be_markup_are_text(
    opened: Opener, workspace: Workspace, version: DatasetVersion
) -> None:
    first, second = (building.ended_run(workspace, version=version, name=HOSTILE) for _ in range(2))

    page = opened(first, second)

    assert "<script>alert(1)" not in page
    assert "<img src=x" not in page


def test_runs_that_nobody_judged_have_nothing_to_compare(
    opened: Opener, ended: Callable[..., Run]
) -> None:
    skipped = [ended([building.SKIPPED]) for _ in range(2)]

    assert "Nothing to compare" in opened(*skipped)


def waiting(before: Run, after: Run, opened: Opener) -> Comparison:
    """As workers leave it that have not come yet: too much for a request."""
    opened(before, after)
    row = Comparison.objects.get()
    lease_until = timezone.now() + timedelta(minutes=5)
    changes = {"body": None, "pairs": None, "state": JobState.RUNNING, "lease": "somebody"}
    Comparison.objects.filter(pk=row.pk).update(lease_until=lease_until, **changes)
    return row


def test_a_comparison_under_way_is_asked_for_again_by_the_page(
    opened: Opener, before: Run, after: Run
) -> None:
    waiting(before, after, opened)

    page = opened(before, after)

    assert 'id="compared" class="flow" data-live' in page
    assert "it is being compared" in page
    assert "By metric" not in page


def test_its_records_and_files_say_that_it_is_not_there_yet(
    asked: Answered, opened: Opener, before: Run, after: Run
) -> None:
    waiting(before, after, opened)

    for name in ("compare-records", "compare-csv", "compare-json", "compare-agentv"):
        answer = asked(before, after, name=name)

        assert answer.status_code == 422
        assert "not computed yet" in answer.content.decode()


def test_a_comparison_that_failed_says_why(opened: Opener, before: Run, after: Run) -> None:
    row = waiting(before, after, opened)
    Comparison.objects.filter(pk=row.pk).update(
        state=JobState.FAILED, lease="", error="The disk is full.", finished_at=Now()
    )

    page = says(opened(before, after))

    assert "could not be compared" in page
    assert "The disk is full." in page
    assert "Try again" in page


def test_a_stored_comparison_is_shown_in_a_few_queries(
    opened: Opener,
    before: Run,
    after: Run,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    opened(before, after)

    with django_assert_max_num_queries(30):
        opened(before, after, baseline=before.pk)


def test_a_judged_pass_rate_says_why_it_is_not_corrected(
    opened: Opener, judged: ContractVersion, ended: Callable[..., Run]
) -> None:
    runs = [ended([PASSED, FAILED_CONTRACT], contract=judged) for _ in range(2)]

    page = says(opened(*runs))

    assert "not corrected" in page
    assert "Not corrected by people:" in page
    assert "not corrected why " in page


def test_who_labels_blind_finds_no_comparison_of_what_they_label(
    client: Client, workspace: Workspace, bob: User
) -> None:
    campaign = a_campaign(workspace, bob)
    other = building.ended_run(workspace, version=campaign.run.dataset_version)
    client.force_login(bob)
    address = reverse("analysis:compare", args=["demo"])

    hidden = client.get(address, {"run": [campaign.run_id, other.pk]})
    offered = client.get(address)

    assert hidden.status_code == 404
    assert campaign.run_id not in offered.content.decode()


def test_a_fragment_alone_is_what_the_page_asks_for_again(
    client: Client, alice: User, before: Run, after: Run
) -> None:
    client.force_login(alice)
    query = {"run": [before.pk, after.pk], "baseline": before.pk}
    headers = {"hx-request": "true", "hx-target": "compared"}

    answer = client.get(reverse("analysis:compare", args=["demo"]), query, headers=headers)

    assert answer.content.decode().strip().startswith('<div id="compared"')
