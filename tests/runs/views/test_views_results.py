"""The results of a run as pages: filters, paging, one record, hostile texts."""

import re

import pytest
from django.test import Client

from apps.accounts.models import Workspace
from apps.runs.models import Result, Run, Score
from tests.runs.pages import HOSTILE, Opener

pytestmark = pytest.mark.django_db


def test_results_link_to_their_records_inside_the_filter(ended: Run, opened: Opener) -> None:
    page = opened("results", ended.pk, query="?outcome=failed")

    assert page.count("data-panel") >= 10
    assert f"/runs/{ended.pk}/records/18/?outcome=failed" in page
    assert "ticket-00000" not in page


def test_results_page_by_ordinal(ended: Run, opened: Opener) -> None:
    first = opened("results", ended.pk)
    older = re.search(r'rel="next" href="[^"?]*(\?[^"]+)"', first)
    assert older is not None
    second = opened("results", ended.pk, query=older[1].replace("&amp;", "&"))

    assert "ticket-00049" in first
    assert "ticket-00050" not in first
    assert "ticket-00050" in second
    assert "ticket-00049" not in second


def test_a_filter_that_leaves_no_result_says_so(ended: Run, opened: Opener) -> None:
    assert "No result matches" in opened("results", ended.pk, query="?q=nothing-like-it")


def test_a_record_leads_to_its_neighbours_in_the_filter(ended: Run, opened: Opener) -> None:
    page = opened("record", ended.pk, 18, query="?outcome=failed")

    assert f"/runs/{ended.pk}/records/19/?outcome=failed" in page
    assert 'data-panel-step="previous"' not in page


def test_a_record_that_is_not_there_is_404(ended: Run, as_alice: Client) -> None:
    for ordinal in ("100", "99999999999999999999"):
        answer = as_alice.get(f"/w/demo/runs/{ended.pk}/records/{ordinal}/")
        assert answer.status_code == 404


def test_what_a_model_wrote_is_never_markup(
    workspace: Workspace, ended: Run, opened: Opener
) -> None:
    result = ended.results.get(ordinal=0)
    broken = ended.results.get(ordinal=18)
    Result.objects.filter(pk=result.pk).update(response=HOSTILE)
    Result.objects.filter(pk=broken.pk).update(detail=HOSTILE)
    Score.objects.filter(result=result, rule="exact").update(reason=HOSTILE, raw={"a": HOSTILE})
    Run.objects.filter(pk=ended.pk).update(name=HOSTILE, note=HOSTILE)

    pages = [
        opened("list"),
        opened("detail", ended.pk),
        opened("results", ended.pk),
        opened("record", ended.pk, 0),
        opened("record", ended.pk, 18),
        opened("artifacts", ended.pk),
    ]

    for page in pages:
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "&lt;script&gt;alert(1)" in page


def test_a_long_answer_is_clipped_with_all_of_it_a_click_away(ended: Run, opened: Opener) -> None:
    ended.results.filter(ordinal=0).update(response="word " * 2_000)

    assert "Show all" in opened("record", ended.pk, 0)


@pytest.mark.parametrize(
    "address",
    [
        "runs/{run}/?page=%C2%B2&family=%00&sort=%00",
        "runs/{run}/?page=" + "9" * 5_000,
        "runs/{run}/results/?q=%00&cause=%00&value=%00&family=%00&rule=%00&cursor=%00",
        "runs/{run}/records/1/?trial=%C2%B2&q=%00",
        "runs/{run}/artifacts/%00",
        "runs/%00/",
        "runs/?state=%00&target=%00&sort=%00",
        "runs/start/?clone=%00&version=%00&pilot=%00",
        "search/?q=%00%00%00",
    ],
)
def test_no_address_breaks_a_page(address: str, as_alice: Client, ended: Run) -> None:
    assert as_alice.get("/w/demo/" + address.format(run=ended.pk)).status_code in (200, 404)
