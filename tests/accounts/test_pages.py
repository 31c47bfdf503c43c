"""The pages of people in a real browser: accessible in light, dark and narrow, and usable."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from apps.accounts import services
from apps.accounts.models import ApiToken, User, Workspace
from apps.accounts.permissions import Role
from apps.accounts.services.tokens import NewToken
from tests.browser import NARROW, WIDE, PageOpener, assert_accessible, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SIGNED_IN = [
    "/profile/",
    "/password/change/",
    "/w/demo/members/",
    "/w/demo/tokens/",
    "/w/demo/audit/",
]
SIGNED_OUT = ["/sign-in/", "/password/forgotten/", "/password/mailed/", "/password/choose/MQ/x-y/"]
LOOKS = [{"scheme": "light"}, {"scheme": "dark"}, {"scheme": "light", "width": NARROW}]


@pytest.fixture
def link(workspace: Workspace, ada: User) -> str:
    made = services.invite(
        workspace=workspace,
        email="dora@example.org",
        role=Role.LEAD,
        invited_by=ada,
        now=timezone.now(),
    )
    return f"/invitations/{made.secret}/"


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_pages_of_members_are_accessible(
    look: dict[str, object],
    open_page: PageOpener,
    ada: User,
    bob: User,
    alices_token: NewToken,
    link: str,
) -> None:
    page = open_page(**look)
    sign_in(page, ada)

    for address in SIGNED_IN:
        page.goto(address)
        assert_accessible(page)


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_pages_before_signing_in_are_accessible(
    look: dict[str, object], open_page: PageOpener, link: str
) -> None:
    page = open_page(**look)

    for address in [*SIGNED_OUT, link]:
        page.goto(address)
        assert_accessible(page)


def test_wrong_passwords_lead_to_a_page_that_says_when_to_come_back(
    page: Page, alice: User
) -> None:
    page.goto("/sign-in/")

    for _ in range(5):
        page.get_by_label("User name").fill("alice")
        page.get_by_label("Password").fill("wrong")
        page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_role("heading", name="Too many attempts")).to_be_visible()
    expect(page.get_by_text("Come back at")).to_be_visible()
    assert_accessible(page)


@pytest.mark.parametrize("js", [True, False], ids=["with JavaScript", "without JavaScript"])
def test_a_token_is_made_and_revoked_on_the_page(
    js: bool, open_page: PageOpener, bob: User, workspace: Workspace
) -> None:
    page = open_page(js=js)
    sign_in(page, bob)
    page.goto("/w/demo/tokens/")

    page.get_by_label("Name").fill("nightly CI")
    page.get_by_role("button", name="Make token").click()
    shown = page.locator(".notice code").first.inner_text()
    page.get_by_role("button", name="Revoke").click()
    page.get_by_role("button", name="Revoke").last.click()

    expect(page.get_by_text("nightly CI is revoked")).to_be_visible()
    token = ApiToken.objects.get()
    assert shown.startswith(token.prefix)
    assert token.revoked_at is not None


def test_every_column_of_the_audit_log_is_in_sight_beside_long_hashes(
    page: Page, workspace: Workspace, ada: User
) -> None:
    hashes = ["a" * 64, "b" * 64]
    services.record(
        workspace=workspace,
        actor=ada,
        verb="edited",
        obj=workspace,
        changes={"spec_sha256": hashes},
        request_id="0" * 32,
    )
    sign_in(page, ada)

    page.goto("/w/demo/audit/")

    expect(page.get_by_role("cell", name="0" * 32)).to_be_in_viewport(ratio=1)
    expect(page.get_by_title(" → ".join(hashes))).to_contain_text("aaaaaaaaaaaa…")


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("js", [True, False], ids=["with JavaScript", "without JavaScript"])
def test_what_the_last_row_asks_stands_whole_above_its_table(
    js: bool, width: int, open_page: PageOpener, ada: User, workspace: Workspace, bob: User
) -> None:
    page = open_page(width=width, js=js)
    sign_in(page, ada)
    page.goto("/w/demo/members/")
    row = page.get_by_role("region", name="Members").get_by_role("row").last

    row.get_by_role("button", name="Remove").press("Enter")
    asked = row.locator("form", has_text="Access and API tokens end at once")

    expect(asked).to_be_in_viewport(ratio=1)
    for button in asked.get_by_role("button").all():
        assert button.evaluate(IS_ON_TOP)
    page.keyboard.press("Escape")
    expect(asked).to_be_hidden()
    expect(row.get_by_role("button", name="Remove")).to_be_focused()


IS_ON_TOP = """button => {
  const box = button.getBoundingClientRect();
  const corners = [[box.left + 3, box.top + 3], [box.right - 3, box.bottom - 3]];
  return corners.every(([x, y]) => button.contains(document.elementFromPoint(x, y)));
}"""


def test_the_admin_works_under_its_own_policy(page: Page, workspace: Workspace) -> None:
    sign_in(page, User.objects.create_superuser("root"))

    page.goto("/admin/accounts/workspace/")

    expect(page.get_by_role("link", name="Demo")).to_be_visible()
    icon = page.locator("link[rel=icon]").get_attribute("href")
    assert icon
    assert page.request.get(icon).ok
