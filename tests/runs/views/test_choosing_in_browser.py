"""Choices that change faster than the server answers, in a real browser."""

import pytest
from playwright.sync_api import Page, Route

from apps.accounts.models import User, Workspace
from tests.browser import sign_in
from tests.runs import building

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("address", ["start/", "{run}/regrade/"])
def test_a_choice_while_the_last_is_still_asked_is_no_error_and_counts(
    address: str, page: Page, alice: User, workspace: Workspace
) -> None:
    run = building.ended_run(workspace, by=alice)
    errors: list[str] = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    sign_in(page, alice)
    page.goto("/w/demo/runs/" + address.format(run=run.pk))
    held: list[Route] = []

    page.route("**/runs/**", lambda route: held.append(route), times=1)
    with page.expect_request("**/runs/**"):
        _name(page, "First")
    with page.expect_response(lambda answer: "Second" in (answer.request.post_data or "")):
        _name(page, "Second")
        held[0].continue_()

    assert errors == []


def _name(page: Page, text: str) -> None:
    """As somebody does who goes on to the next field."""
    field = page.locator("input[name=name]")
    field.fill(text)
    field.blur()
