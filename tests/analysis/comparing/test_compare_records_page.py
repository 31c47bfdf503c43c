"""The records behind a comparison: by what became of them, by id, by slice, page by page."""

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from pytest_django import DjangoAssertNumQueries as MaxQueries

from apps.accounts.models import Workspace
from apps.runs.models import Run
from tests.runs import building
from tests.runs.building import PASSED

from .pages import Answered, Shown, after, asked, before, ended, listed, version

__all__ = ["after", "asked", "before", "ended", "listed", "version"]


def test_worse_records_are_those_that_got_worse(listed: Shown, before: Run, after: Run) -> None:
    page = listed(before, after, move="worse")

    assert "5 records, in the order of the dataset" in page
    assert "ticket-00055" in page
    assert "passes fails Worse" in page
    assert "ticket-00060" not in page


def test_only_differences_leaves_out_what_stayed(listed: Shown, before: Run, after: Run) -> None:
    assert "31 records" in listed(before, after, move="different")
    assert "100 records, page 1 of 2" in listed(before, after)


def test_an_error_tells_the_state_of_the_run_that_failed(
    listed: Shown, before: Run, after: Run
) -> None:
    assert "fails Timed out Error" in listed(before, after, move="error")


def test_records_are_found_by_their_id_and_by_slice(listed: Shown, before: Run, after: Run) -> None:
    assert "1 record," in listed(before, after, q="00055")
    assert "17 records," in listed(before, after, family="metadata.language", value="English")


def test_pages_follow_each_other(listed: Shown, before: Run, after: Run) -> None:
    last = listed(before, after, page="2")

    assert "ticket-00050" in last
    assert "ticket-00049" not in last
    assert "page 2 of 2" in listed(before, after, page="999")


def test_an_address_that_names_a_record_leads_to_it_in_the_same_filter(
    asked: Answered, before: Run, after: Run
) -> None:
    page = asked(before, after, name="compare-records", move="worse", record="57", full="1")

    html = page.content.decode()
    [link] = re.findall(r'href="([^"]+)" data-panel data-panel-now="([^"]+)"', html)
    assert "/compare/records/57/?" in link[0]
    assert "move=worse&amp;full=1" in link[0]
    assert link[1].endswith("move=worse")
    others = re.findall(r'<a class="chip"[^>]* href="([^"]+)"', html)
    assert others
    assert not [each for each in others if "record=" in each or "full=" in each]


def test_a_record_says_the_address_of_the_page_that_it_is_on(
    asked: Answered, before: Run, after: Run
) -> None:
    page = asked(before, after, name="compare-record", args=[70], record="3", full="1")

    [address] = re.findall(r'data-address="([^"]+)"', page.content.decode())
    assert "/compare/records/?" in address
    assert parse_qs(urlsplit(unescape(address)).query)["record"] == ["70"]
    assert parse_qs(urlsplit(unescape(address)).query)["page"] == ["2"]
    assert "full=1" in address


@pytest.mark.parametrize("record", ["x", "²", "-1", "\0", "9" * 40])
def test_a_record_that_is_none_breaks_no_address(
    listed: Shown, before: Run, after: Run, record: str
) -> None:
    assert "100 records" in listed(before, after, record=record)


@pytest.mark.parametrize("page", ["-1", "0", "x", "²", "9" * 30])
def test_pages_that_are_none_are_the_first(
    listed: Shown, before: Run, after: Run, page: str
) -> None:
    assert "ticket-00000" in listed(before, after, page=page)


@pytest.mark.parametrize("move", ["sideways", "\0", "x" * 4_000])
def test_a_move_that_there_is_not_leaves_nothing_out(
    listed: Shown, before: Run, after: Run, move: str
) -> None:
    assert "100 records" in listed(before, after, move=move)


def test_an_unknown_metric_is_told(listed: Shown, before: Run, after: Run) -> None:
    assert "no metric “nonsense” in common" in listed(before, after, status=422, metric="nonsense")


def test_what_one_run_has_alone_is_listed(listed: Shown, workspace: Workspace, before: Run) -> None:
    newer = building.make_version(workspace, 104)
    later = building.ended_run(workspace, [PASSED], version=newer, name="newer data")

    page = listed(before, later, move="only_candidate")

    assert "4 records" in page
    assert "ticket-00103" in page
    assert "not there" in page
    assert "in one run only" in page


def test_a_filter_that_leaves_nothing_says_so(listed: Shown, before: Run, after: Run) -> None:
    assert "No record matches" in listed(before, after, q="nobody")


def test_a_page_of_records_takes_a_few_queries(
    asked: Answered, before: Run, after: Run, django_assert_max_num_queries: MaxQueries
) -> None:
    asked(before, after)

    with django_assert_max_num_queries(20):
        narrowed = {"family": "tag", "value": "tag-01", "q": "ticket"}
        asked(before, after, name="compare-records", baseline=before.pk, **narrowed)
