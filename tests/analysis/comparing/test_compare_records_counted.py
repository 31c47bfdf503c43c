"""What a comparison counts is what the records behind it show."""

import re
from collections.abc import Callable
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from apps.accounts.models import Workspace
from apps.analysis.comparing import body_of, comparison_of
from apps.analysis.models import Comparison
from apps.metrics.compared import PairedRuns
from apps.runs.models import Run
from tests.runs import building
from tests.runs.building import FAILED_CONTRACT, PASSED
from tests.runs.pages import words_of

from .building import a_run, asks
from .pages import Answered, Shown, after, asked, before, ended, listed, version

__all__ = ["after", "asked", "before", "ended", "listed", "version"]


def test_what_the_comparison_counts_is_what_the_records_show(
    listed: Shown, before: Run, after: Run
) -> None:
    listed(before, after)
    found = PairedRuns.model_validate(Comparison.objects.get().body)
    of_language = [each for each in found.slices if each.family == "metadata.language"]

    for each in [*found.whole[:3], *of_language[:3]]:
        for move, count in each.moves.model_dump().items():
            named = {"metric": each.metric, "family": each.family, "value": each.value}
            page = listed(before, after, move=move, **named)

            assert (f"{count} record" if count else "No record matches") in page


CHIP = re.compile(
    r'<a class="chip" href="([^"]*)"[^>]*>(?:(?!</a>).)*<b>([\d,]+)</b></a>', re.DOTALL
)


@pytest.fixture
def chips(asked: Answered, client: Client) -> Callable[..., dict[str, tuple[int, int]]]:
    """By move, what each chip says and how many records its link shows."""

    def counted(*runs: Run, **more: str) -> dict[str, tuple[int, int]]:
        page = asked(*runs, name="compare-records", **more).content.decode()
        found = {}
        for address, number in CHIP.findall(page):
            target = client.get(unescape(address), follow=True).content.decode()
            told = re.search(r"([\d,]+) records?, ", unescape(words_of(target)))
            move = parse_qs(urlsplit(unescape(address)).query).get("move", [""])[0]
            found[move] = (int(number), int(told[1]) if told else 0)
        return found

    return counted


def test_every_chip_of_every_slice_counts_what_its_link_shows_over_two_versions(
    chips: Callable[..., dict[str, tuple[int, int]]], workspace: Workspace
) -> None:
    old, new = building.make_version(workspace, 30), building.make_version(workspace, 33)
    asks(old, [f"q{place}" for place in range(30)])
    asks(new, [f"q{(place + 7) % 33}" for place in range(33)])
    first, second = a_run(workspace, "+-!" * 10, old), a_run(workspace, "++-" * 11, new)
    body = body_of(comparison_of(first, second))
    slices = [each for each in body.slices if each.metric == "pass_rate"]

    for each in slices:
        counted = chips(
            first, second, metric="pass_rate", family=each.family, value=each.value, move="worse"
        )

        assert all(said == shown for said, shown in counted.values()), (each.value, counted)
        assert counted[""][0] == each.moves.shared
        assert counted["worse"][0] == each.moves.worse
        assert counted.get("better", (0, 0))[0] == each.moves.better
    assert len({each.family for each in slices}) > 1


@pytest.mark.parametrize("q", ["", "0001", "nobody"])
def test_chips_count_inside_what_is_looked_for(
    chips: Callable[..., dict[str, tuple[int, int]]], workspace: Workspace, before: Run, q: str
) -> None:
    newer = building.make_version(workspace, 104)
    later = building.ended_run(workspace, [PASSED, FAILED_CONTRACT], version=newer)

    counted = chips(before, later, q=q)

    assert all(said == shown for said, shown in counted.values()), counted
    assert {"", "different"} <= counted.keys()
