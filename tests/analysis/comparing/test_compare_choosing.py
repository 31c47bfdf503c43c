"""Which runs are compared, and which of them is the baseline."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.analysis.models import Baseline, GatePolicy
from apps.runs.models import Run
from tests.runs import building
from tests.runs.building import FAILED_CONTRACT, PASSED
from tests.runs.pages import judged

from .pages import Answered, Opener, after, asked, before, ended, opened, says, version

__all__ = ["after", "asked", "before", "ended", "judged", "opened", "version"]


BEFORE_AND_WORSE = [*[PASSED] * 30, *[FAILED_CONTRACT] * 70]


def test_without_runs_there_is_a_form_to_choose_some(
    opened: Opener, before: Run, after: Run
) -> None:
    page = opened()

    assert page.count('name="run"') == 2
    assert "Compare the ticked runs" in page


def test_where_nothing_has_ended_the_page_says_what_to_do(opened: Opener) -> None:
    assert "Nothing to compare yet" in opened()


def test_runs_to_choose_from_are_found_by_name(opened: Opener, before: Run, after: Run) -> None:
    page = opened(q="v15", choose="1")

    assert "v15 prompt" in page
    assert "v14 prompt" not in page


def test_one_run_stands_ticked_over_those_of_the_same_data(
    opened: Opener, workspace: Workspace, before: Run, after: Run
) -> None:
    building.ended_run(workspace, name="about other things")

    page = opened(before)

    assert page.count(" checked") == 1
    places = [page.index(name) for name in ("v14 prompt", "v15 prompt", "about other things")]
    assert places == sorted(places)


def test_open_runs_are_not_offered_and_not_compared(
    opened: Opener, workspace: Workspace, before: Run
) -> None:
    still = building.running_run(workspace, [PASSED], name="under way")

    assert "under way" not in opened()
    assert "under way has not ended" in says(opened(before, still, status=422))


@pytest.mark.parametrize("more", [{"baseline": "run_0"}, {"candidate": "run_0"}])
def test_a_baseline_or_candidate_that_is_not_compared_is_told(
    opened: Opener, before: Run, after: Run, more: dict[str, str]
) -> None:
    assert "none of the runs that are compared" in says(opened(before, after, status=422, **more))


def test_more_than_eight_runs_are_too_many(opened: Opener, ended: Callable[..., Run]) -> None:
    runs = [ended([PASSED]) for _ in range(9)]

    assert "9 runs were chosen. Choose two to eight." in says(opened(*runs, status=422))


def test_a_run_named_twice_is_told(opened: Opener, before: Run, after: Run) -> None:
    assert "names a run twice" in says(opened(before, before, after, status=422))


@pytest.mark.parametrize("key", ["run_0", "\0", "x" * 5_000, "'; --"])
def test_what_is_no_run_is_not_found(client: Client, alice: User, before: Run, key: str) -> None:
    client.force_login(alice)

    answer = client.get(reverse("analysis:compare", args=["demo"]), {"run": [before.pk, key]})

    assert answer.status_code == 404


def test_a_run_of_another_workspace_is_not_found_and_not_named(
    asked: Answered, before: Run, charlie: User
) -> None:
    theirs = charlie.memberships.get().workspace
    hidden = building.ended_run(theirs, name="not yours")

    for name in ("compare", "compare-records", "compare-csv", "compare-json", "compare-agentv"):
        answer = asked(before, hidden, name=name)

        assert answer.status_code == 404
        assert "not yours" not in answer.content.decode()


def test_the_oldest_run_is_the_baseline_until_another_is_chosen(
    opened: Opener, before: Run, after: Run
) -> None:
    assert "v15 prompt against v14 prompt" in opened(after, before)
    assert "v14 prompt against v15 prompt" in opened(before, after, baseline=after.pk)


def test_the_approved_baseline_of_a_gate_goes_first(
    opened: Opener, workspace: Workspace, before: Run, after: Run
) -> None:
    approve(workspace, after)

    page = opened(before, after)

    assert "v14 prompt against v15 prompt" in page
    assert "a gate's approved baseline" in page


def test_what_is_chosen_here_is_not_called_a_gates_baseline(
    opened: Opener, before: Run, after: Run
) -> None:
    page = opened(before, after)

    assert "Compare against this" in page
    assert "Baseline here" in page
    assert "What a gate compares with is approved on its policy" in page
    assert "ake it the baseline" not in page


def approve(workspace: Workspace, run: Run) -> None:
    policy = GatePolicy.objects.create(workspace=workspace, name="release")
    Baseline.objects.create(
        policy=policy, seq=1, run=run, reason="shipped", approved_at=timezone.now()
    )


@pytest.mark.parametrize("name", ["compare", "compare-records", "compare-record"])
def test_an_address_shows_the_same_after_another_baseline_is_approved(
    asked: Answered, client: Client, workspace: Workspace, before: Run, after: Run, name: str
) -> None:
    args = [5] if name == "compare-record" else []
    first = asked(before, after, name=name, args=args, metric="score_mean")
    [(address, _status)] = first.redirect_chain
    approve(workspace, after)

    again = client.get(address)

    assert (again.status_code, again.context["chosen"].baseline.run) == (200, before)
    assert f"baseline={before.pk}&candidate={after.pk}&metric=score_mean" in address
    links = re.findall(r'href="(/w/demo/compare/[^"]*run=[^"]*)"', again.content.decode())
    assert links
    assert all("baseline=" in link for link in links)
    assert asked(before, after, name=name, args=args).context["chosen"].baseline.run == after


def test_choosing_other_runs_keeps_the_baseline_while_it_is_ticked(
    opened: Opener, before: Run, after: Run, ended: Callable[..., Run]
) -> None:
    third = ended(BEFORE_AND_WORSE, name="v16 prompt")

    form = opened(before, after, baseline=after.pk, choose="1")

    assert f'<input type="hidden" name="keep" value="{after.pk}">' in form
    assert "2 runs against v15 prompt" in opened(before, after, third, keep=after.pk)
    assert "v16 prompt against v14 prompt" in opened(before, third, keep=after.pk)


def test_ended_runs_are_ticked_in_their_table(
    client: Client, alice: User, workspace: Workspace, before: Run
) -> None:
    still = building.running_run(workspace, [PASSED])
    client.force_login(alice)

    page = client.get(reverse("runs:list", args=["demo"])).content.decode()

    assert f'name="run" value="{before.pk}" form="choose"' in page
    assert f'value="{still.pk}"' not in page
    assert f'action="{reverse("analysis:compare", args=["demo"])}" id="choose"' in page


def test_the_page_of_a_run_leads_to_what_it_may_be_compared_with(
    client: Client, alice: User, before: Run
) -> None:
    client.force_login(alice)

    page = client.get(reverse("runs:detail", args=["demo", before.pk])).content.decode()

    assert f"{reverse('analysis:compare', args=['demo'])}?run={before.pk}" in page
