"""The components in a real Chromium: readable, reachable by keyboard, and silent on the console."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, expect

from apps.accounts.models import User
from tests.browser import NARROW, WIDE, PageOpener, assert_accessible, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db, pytest.mark.usefixtures("sheets")]

SHEETS = ["", "forms/?name=", "upload/", "uploaded/1200/", "records/2/", "forbidden/"]


def small_file(size: int = 1_000) -> FilePayload:
    return {"name": "tickets.json", "mimeType": "application/json", "buffer": b"x" * size}


# -- seen ----------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_sheet(
    open_page: PageOpener, alice: User, width: int, scheme: str
) -> None:
    page = open_page(width=width, scheme=scheme)
    sign_in(page, alice)

    for sheet in SHEETS:
        page.goto(f"/runs/{sheet}")
        assert_accessible(page)


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_narrow_page_never_scrolls_sideways(open_page: PageOpener, sheet: str) -> None:
    page = open_page(width=320)

    page.goto(f"/runs/{sheet}")

    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_on_a_narrow_screen_the_interval_is_under_the_name(open_page: PageOpener) -> None:
    page = open_page(width=NARROW)
    page.goto("/runs/")
    row = page.get_by_role("row", name="Turkish")

    name = row.get_by_role("rowheader").locator("xpath=.").evaluate(TEXT_BOX)
    chart = row.locator("svg.whisker").bounding_box()

    assert chart is not None
    assert chart["y"] >= name["bottom"]
    assert chart["width"] > NARROW * 0.6


TEXT_BOX = """cell => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return { bottom: range.getBoundingClientRect().bottom };
}"""


def test_on_a_narrow_screen_no_column_is_out_of_sight(open_page: PageOpener) -> None:
    page = open_page(width=NARROW)

    page.goto("/runs/")

    for region in page.locator(".table-scroll").all():
        assert region.evaluate("region => region.scrollWidth - region.clientWidth") == 0


def test_what_is_ticked_keeps_its_size_beside_a_long_label(open_page: PageOpener) -> None:
    page = open_page(width=NARROW)

    page.goto("/runs/forms/")

    boxes = [box.bounding_box() for box in page.locator("[type=radio], [type=checkbox]").all()]
    assert {(box["width"], box["height"]) for box in boxes if box} == {(16, 16)}


def test_the_font_is_ours(page: Page) -> None:
    page.goto("/runs/")

    assert page.evaluate("document.fonts.ready.then(() => document.fonts.check('14px Inter'))")
    assert page.evaluate("[...document.fonts].some(face => face.status === 'loaded')")


# -- the frame -----------------------------------------------------------------------------


def test_the_theme_is_chosen_and_kept(page: Page) -> None:
    page.goto("/runs/")
    root = page.locator("html")

    page.get_by_role("button", name="Theme").click()
    expect(root).to_have_attribute("data-theme", "light")
    page.get_by_role("button", name="Theme").click()
    page.reload()

    expect(root).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(13, 16, 23)"


def test_a_slash_searches_and_a_question_mark_lists_the_keys(page: Page) -> None:
    page.goto("/runs/")

    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("a/b?")

    expect(page.get_by_role("searchbox", name="Search runs, datasets")).to_have_value("a/b?")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_first_tab_skips_to_the_content(page: Page) -> None:
    page.goto("/runs/")

    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_in_viewport()
    page.keyboard.press("Enter")

    expect(page.locator("#main")).to_be_focused()


def test_a_menu_opens_by_key_and_esc_gives_the_focus_back(page: Page, alice: User) -> None:
    sign_in(page, alice)
    page.goto("/runs/")
    opener = page.locator("summary.avatar")

    opener.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Profile")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")

    expect(page.get_by_role("link", name="Profile")).to_be_hidden()
    expect(opener).to_be_focused()


def test_focus_can_be_seen_on_everything_that_takes_it(page: Page) -> None:
    page.goto("/runs/")

    for _ in range(40):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUS_IS_VISIBLE), page.evaluate("document.activeElement.outerHTML")


FOCUS_IS_VISIBLE = """() => {
  const element = document.activeElement;
  if (element === document.body) return true;
  const shown = one => one && parseFloat(getComputedStyle(one).outlineWidth) >= 2
    && getComputedStyle(one).outlineStyle !== "none";
  return shown(element) || shown(element.closest(".search, .search-field"));
}"""


def test_a_fragment_is_replaced_and_back_brings_the_page_again(page: Page) -> None:
    page.goto("/runs/")

    page.get_by_role("link", name="Older").click()
    expect(page).to_have_url(re.compile("cursor=older"))
    page.get_by_role("checkbox", name="Compare nightly").check()
    page.go_back()

    expect(page).to_have_url(re.compile("/runs/$"))
    expect(page.get_by_role("checkbox", name="Compare nightly")).not_to_be_checked()
    page.get_by_role("link", name="Response is not valid").click()
    expect(page.get_by_role("heading", name="Record 1")).to_be_visible()


def test_a_filter_applies_as_soon_as_it_is_chosen(page: Page) -> None:
    page.goto("/runs/")

    page.get_by_label("State").select_option("running")

    expect(page).to_have_url(re.compile("state=running"))


# -- the slide-over ------------------------------------------------------------------------


def test_a_record_slides_in_steps_and_gives_the_focus_back(page: Page) -> None:
    page.goto("/runs/")
    link = page.get_by_role("link", name="Response is not valid")

    link.click()
    panel = page.get_by_role("dialog", name="Details")
    expect(panel.get_by_role("heading", name="Record 1")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(panel.get_by_role("heading", name="Record 2")).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("Escape")

    expect(panel).to_be_hidden()
    expect(link).to_be_focused()
    assert page.url.endswith("/runs/")


def test_hostile_text_stays_text_in_the_panel(page: Page) -> None:
    page.goto("/runs/")

    page.get_by_role("link", name="Response is not valid").click()

    panel = page.get_by_role("dialog", name="Details")
    expect(panel.get_by_text("<script>alert(1)</script>").first).to_be_visible()
    assert panel.locator("img, script").count() == 0


def test_a_panel_that_cannot_be_loaded_says_so(page: Page) -> None:
    page.goto("/runs/")
    page.route("**/records/1/", lambda route: route.fulfill(status=500, body="no"))

    page.get_by_role("link", name="Response is not valid").click()

    expect(page.get_by_role("dialog", name="Details")).to_contain_text("could not be loaded")


# -- forms ---------------------------------------------------------------------------------


def test_errors_are_focused_and_lead_to_their_fields(page: Page) -> None:
    page.goto("/runs/forms/?name=")
    summary = page.get_by_role("alert").filter(has_text="Please correct")
    expect(summary).to_be_focused()

    summary.get_by_role("link", name="Cost cap").click()

    expect(page.get_by_label("Cost cap")).to_be_focused()
    expect(page.get_by_label("Cost cap")).to_have_accessible_description(
        "The run stops before it costs more. This field is required."
    )


def test_a_confirmation_needs_a_second_press(page: Page) -> None:
    page.goto("/runs/")

    page.get_by_text("Cancel run", exact=True).click()
    expect(page.get_by_role("button", name="Cancel the run")).to_be_visible()
    page.get_by_role("button", name="Keep").click()

    expect(page.get_by_role("button", name="Cancel the run")).to_be_hidden()


def test_an_id_is_copied(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/runs/")

    page.get_by_role("button", name="Copy id").click()

    expect(page.locator("#announcements")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "run_01JD8Q7ZK3M5"


# -- uploads -------------------------------------------------------------------------------


def test_a_file_uploads_with_progress_and_leads_on(page: Page) -> None:
    page.goto("/runs/upload/")

    page.get_by_label("File").set_input_files(small_file(1_200))
    expect(page.get_by_text("tickets.json (1.2 kB)")).to_be_visible()
    page.get_by_role("button", name="Upload").click()

    expect(page.get_by_role("heading", name="Uploaded 1.2 kB")).to_be_visible()


def test_a_file_dropped_anywhere_on_the_form_is_taken(page: Page) -> None:
    page.goto("/runs/upload/")
    dropped = page.evaluate_handle(
        "() => { const d = new DataTransfer(); d.items.add(new File(['{}'], 'b.json')); return d; }"
    )

    page.dispatch_event("label:text('Title')", "drop", {"dataTransfer": dropped})

    expect(page.get_by_text("b.json (2 bytes)")).to_be_visible()


def test_a_file_that_is_too_large_is_not_sent(page: Page) -> None:
    page.goto("/runs/upload/")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))

    page.get_by_label("File").set_input_files(small_file(1_000_001))
    page.get_by_role("button", name="Upload").click()

    expect(page.get_by_text("has 1,000,001 bytes; the limit is 1,000,000 bytes")).to_be_visible()
    assert "POST" not in sent


def test_an_upload_can_be_cancelled(page: Page) -> None:
    page.goto("/runs/upload/")
    page.route("**/upload/", lambda route: None)
    page.get_by_label("File").set_input_files(small_file())
    page.get_by_role("button", name="Upload").click()

    page.get_by_role("button", name="Cancel upload").click()

    expect(page.locator("#announcements")).to_contain_text("Upload cancelled")
    expect(page.get_by_role("button", name="Upload")).to_be_enabled()


def test_what_the_server_refuses_is_shown_in_place(page: Page) -> None:
    page.goto("/runs/upload/")
    page.get_by_label("Title").fill(" ")

    page.get_by_label("File").set_input_files(small_file())
    page.get_by_role("button", name="Upload").click()

    expect(page.get_by_role("alert").filter(has_text="Please correct")).to_be_focused()
    expect(page.get_by_role("link", name="Title")).to_be_visible()


# -- without scripts -----------------------------------------------------------------------


def test_everything_works_without_javascript(open_page: PageOpener, tmp_path: Path) -> None:
    page = open_page(js=False)
    file = tmp_path / "tickets.json"
    file.write_bytes(b"x" * 1_200)

    page.goto("/runs/")
    page.get_by_role("link", name="Response is not valid").click()
    expect(page.get_by_role("heading", name="Record 1", level=1)).to_be_visible()
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("heading", name="Record 2", level=1)).to_be_visible()
    page.goto("/runs/upload/")
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Upload").click()

    expect(page.get_by_role("heading", name="Uploaded 1.2 kB")).to_be_visible()
