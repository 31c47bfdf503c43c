"""Every page there is, from the URL table, in a real browser: axe finds nothing on it."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from apps.accounts.models import User, Workspace
from tests.browser import HEIGHT, NARROW, WIDE, assert_accessible, sign_in
from tests.url_samples import QUERIES, SAMPLES
from tests.url_table import Address, addresses

NOT_PAGES = (
    *("csv", "json", "agentv", "template", "schema", "download", "artifact", "export", "zip"),
    *("yaml", "file"),
)
"""What an address is called that answers with a file."""


def _shown() -> list[Address]:
    return [
        address
        for address in addresses()
        if address.guard in ("page", "personal")
        and ("GET" in address.permissions or address.guard == "personal")
        and not any(word in address.name for word in NOT_PAGES)
    ]


@pytest.mark.browser
@pytest.mark.parametrize("address", _shown(), ids=str)
def test_axe_finds_nothing_on(
    address: Address, page: Page, ada: User, workspace: Workspace
) -> None:
    arguments = SAMPLES[address.name](workspace, ada) if address.arguments else {}
    slug = {"slug": workspace.slug} if address.guard == "page" else {}
    query = QUERIES[address.name](workspace, ada) if address.name in QUERIES else {}
    path = reverse(address.name, kwargs={**slug, **arguments}, query=query)
    sign_in(page, ada)

    answer = page.goto(path)

    if answer is not None and answer.status == 405:
        pytest.skip("this address takes forms only")
    assert answer is not None
    assert answer.status == 200
    _look_in_both_widths(page)
    page.emulate_media(color_scheme="dark")
    page.reload()
    _look_in_both_widths(page)


def _look_in_both_widths(page: Page) -> None:
    for width in (WIDE, NARROW):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        assert_accessible(page)
