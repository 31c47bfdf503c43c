"""The journey from a file to its report, in a real browser."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User, Workspace
from apps.datasets.models import Upload
from apps.jobs import services as jobs
from tests.browser import NARROW, PageOpener, assert_accessible, screenshot, sign_in
from tests.datasets.documents import accepted, bad_record, document, record

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

REAL = Path(__file__).parents[3] / "shared/data/dataset_contract/expertqa_contract_v1.json"
DATASETS = "/w/demo/datasets/"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    crowd = [bad_record(number) for number in range(20, 30)]
    odd = record(30, expected={"required_criteria": ["<b>beauty</b>"]})
    good = [record(number, metadata={"language": "en"}) for number in range(20)]
    path = tmp_path / "support.json"
    path.write_bytes(document(*good, *crowd, odd, dataset_id="support"))
    return path


def choose_and_send(page: Page, file: Path) -> Upload:
    page.goto(f"{DATASETS}upload/")
    page.get_by_label("Dataset file").set_input_files(file)
    page.get_by_role("button", name="Upload and check").click()
    page.wait_for_url("**/uploads/**")
    return Upload.objects.get()


def test_from_the_form_to_the_filtered_report(page: Page, alice: User, file: Path) -> None:
    sign_in(page, alice)
    page.goto(DATASETS)
    assert_accessible(page)
    page.get_by_role("link", name="Upload a dataset").first.click()
    assert_accessible(page)

    upload = choose_and_send(page, file)
    expect(page.get_by_text("waits for a worker")).to_be_visible()
    assert_accessible(page)
    jobs.look_at(Upload, upload.pk)
    page.wait_for_url("**/report/")
    assert_accessible(page)
    page.get_by_role("link", name="invalid_enum_value").click()

    expect(page.get_by_text("Showing 1 of 1")).to_be_visible()
    expect(page.get_by_text("<b>beauty</b>")).to_be_visible()
    with page.expect_download() as taken:
        page.get_by_role("link", name="JSONL").click()
    lines = Path(taken.value.path()).read_text().splitlines()
    assert [json.loads(line)["code"] for line in lines] == ["invalid_enum_value"]


def test_without_javascript_the_same_journey_works(
    open_page: PageOpener, alice: User, file: Path
) -> None:
    page = open_page(js=False)
    sign_in(page, alice)

    upload = choose_and_send(page, file)
    jobs.look_at(Upload, upload.pk)
    page.reload()

    expect(page.get_by_text("11 records rejected, 20 records accepted.")).to_be_visible()
    page.get_by_role("link", name="Browse records").click()
    page.get_by_role("link", name="q_0003").click()
    expect(page.get_by_role("heading", name="q_0003")).to_be_visible()


def test_records_are_looked_through_in_the_panel_by_keyboard(
    page: Page, workspace: Workspace, alice: User, file: Path
) -> None:
    version = accepted(workspace, file.read_bytes()).version
    assert version is not None
    sign_in(page, alice)
    page.goto(f"{DATASETS}versions/{version.pk}/")
    assert_accessible(page)

    page.get_by_role("link", name="q_0003").press("Enter")
    panel = page.get_by_role("dialog", name="Details")
    expect(panel.get_by_role("heading", name="q_0003")).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("ArrowRight")
    expect(panel.get_by_role("heading", name="q_0004")).to_be_visible()
    page.keyboard.press("Escape")

    expect(panel).to_be_hidden()


def test_a_dataset_is_archived_after_asking(
    page: Page, workspace: Workspace, alice: User, file: Path
) -> None:
    version = accepted(workspace, file.read_bytes()).version
    assert version is not None
    sign_in(page, alice)
    page.goto(f"{DATASETS}{version.dataset_id}/")
    assert_accessible(page)

    page.get_by_role("button", name="Archive").click()
    page.get_by_role("button", name="Archive").last.click()

    expect(page.get_by_text("is archived: find it under Archived.")).to_be_visible()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", NARROW)])
def test_the_pages_look_right(
    open_page: PageOpener,
    workspace: Workspace,
    alice: User,
    file: Path,
    scheme: str,
    width: int,
) -> None:
    upload = accepted(workspace, file.read_bytes(), alice)
    refused = accepted(workspace, document(dataset_id="a b", schema_version="2"), alice)
    version = upload.version
    assert version is not None
    page = open_page(width=width, scheme=scheme)
    sign_in(page, alice)
    pages = {
        "list": "",
        "upload": "upload/",
        "report": f"uploads/{upload.pk}/report/",
        "refused": f"uploads/{refused.pk}/report/",
        "detail": f"{version.dataset_id}/",
        "version": f"versions/{version.pk}/",
        "record": f"versions/{version.pk}/records/0/",
    }

    for name, address in pages.items():
        page.goto(f"{DATASETS}{address}")
        assert_accessible(page)
        fits = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert fits, f"{name} scrolls sideways at {width}"
        assert screenshot(page, f"datasets-{name}-{scheme}-{width}").exists()


@pytest.mark.skipif(not REAL.exists(), reason="the real dataset lies beside the checkout only")
def test_a_real_dataset_goes_through_the_form(page: Page, alice: User) -> None:
    sign_in(page, alice)

    upload = choose_and_send(page, REAL)
    jobs.look_at(Upload, upload.pk)
    page.wait_for_url("**/report/")

    expect(page.get_by_text("Every record was accepted.")).to_be_visible()
    upload.refresh_from_db()
    assert upload.counts["accepted"] == upload.counts["total"] == 1734
