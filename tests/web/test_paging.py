from datetime import UTC, datetime, timedelta

import pytest
from django.core import signing
from django.db.models import F, Value
from django.db.models.functions import Coalesce, Length
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from apps.accounts.models import Membership, User, Workspace
from apps.web.paging import keyset

ORDER = ("-created_at", "-pk")
START = datetime(2026, 1, 1, tzinfo=UTC)


def make_workspaces(minutes: list[int]) -> None:
    made = [
        Workspace(slug=f"w{number}", name=f"W {number}", created_at=START + timedelta(minutes=m))
        for number, m in enumerate(minutes)
    ]
    Workspace.objects.bulk_create(made)


def walk(order: tuple[str, ...], size: int) -> list[list[int]]:
    """The pages from the first to the last, by following `older`."""
    pages, cursor = [], None
    while True:
        page = keyset(Workspace.objects.all(), order, cursor, size)
        pages.append([row.pk for row in page.items])
        if page.older is None:
            return pages
        cursor = page.older


class WalkingThePages(TestCase):
    @settings(max_examples=40, deadline=None)
    @given(
        minutes=st.lists(st.integers(0, 3), max_size=14),
        size=st.integers(1, 6),
        order=st.sampled_from([ORDER, ("created_at", "-pk"), ("name", "pk")]),
    )
    def test_visits_each_row_once_in_order(
        self, minutes: list[int], size: int, order: tuple[str, ...]
    ) -> None:
        make_workspaces(minutes)

        seen = [pk for rows in walk(order, size) for pk in rows]

        assert seen == list(Workspace.objects.order_by(*order).values_list("pk", flat=True))

    @settings(max_examples=40, deadline=None)
    @given(minutes=st.lists(st.integers(0, 3), min_size=1, max_size=14), size=st.integers(1, 6))
    def test_back_and_forth_shows_the_same_pages(self, minutes: list[int], size: int) -> None:
        make_workspaces(minutes)
        forth = walk(ORDER, size)
        page = keyset(Workspace.objects.all(), ORDER, None, size)
        while page.older:
            page = keyset(Workspace.objects.all(), ORDER, page.older, size)

        back = [[row.pk for row in page.items]]
        while page.newer:
            page = keyset(Workspace.objects.all(), ORDER, page.newer, size)
            back.append([row.pk for row in page.items])

        assert back[::-1] == forth


@pytest.mark.django_db
@pytest.mark.parametrize("cursor", ["", "x", "a:b:c", "é" * 9, "\x00", "W10:1abc:" + "0" * 43])
def test_a_hostile_cursor_shows_the_first_page(cursor: str) -> None:
    make_workspaces([1, 2, 3])

    page = keyset(Workspace.objects.all(), ORDER, cursor, 2)

    assert [row.slug for row in page.items] == ["w2", "w1"]
    assert page.newer is None


@pytest.mark.django_db
def test_a_cursor_serves_only_the_order_it_was_made_for() -> None:
    make_workspaces([1, 2, 3])
    cursor = keyset(Workspace.objects.all(), ORDER, None, 1).older

    page = keyset(Workspace.objects.all(), ("name", "pk"), cursor, 1)

    assert page.items[0].slug == "w0"


@pytest.mark.django_db
def test_a_signed_cursor_with_other_values_shows_the_first_page() -> None:
    make_workspaces([1, 2])
    odd = signing.dumps(["older", "not a date", 1], salt="paging:" + ",".join(ORDER))

    page = keyset(Workspace.objects.all(), ORDER, odd, 5)

    assert len(page.items) == 2


@pytest.mark.django_db
def test_annotations_and_related_fields_order_pages(alice: User, bob: User) -> None:
    annotated = Membership.objects.annotate(letters=Coalesce(Length(F("role")), Value(0)))
    order = ("-letters", "user__username", "pk")

    first = keyset(annotated, order, None, 1)
    second = keyset(annotated, order, first.older, 1)

    assert [page.items[0].user for page in (first, second)] == [bob, alice]
    assert second.older is None


@pytest.mark.django_db
def test_the_first_page_of_nothing_has_no_neighbours() -> None:
    page = keyset(Workspace.objects.all(), ORDER)

    assert (page.items, page.older, page.newer) == ([], None, None)
