"""Journeys of every format in a real browser: folders, choices, columns, what changed."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User, Workspace
from apps.datasets import variables
from apps.datasets.contracts import Options
from apps.datasets.models import DatasetVersion, Upload
from apps.jobs import services as jobs
from tests.browser import NARROW, PageOpener, assert_accessible, screenshot, sign_in
from tests.datasets.bundles import kept, legal, lines, table, zip_of
from tests.datasets.documents import a_version, document, record

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DATASETS = "/w/demo/datasets/"
RUBRIC = [
    {"id": "names-day", "title": "Names the day on which the lease ended", "weight": 2},
    {"id": "threatens", "title": "Threatens with charges", "weight": -4, "description": "At all."},
]
CHOICES = [{"id": "A", "text": "The tenant"}, {"id": "B", "text": "The landlord"}]
RICH = (
    legal(1, attachments=[{"path": "attachments/lease.txt", "kind": "text"}], context="A flat."),
    legal(2, task_type="rubric_qa", rubric=RUBRIC, reference_answers=["One.", "Two."]),
    {
        **{key: value for key, value in legal(3).items() if key != "reference_answers"},
        "task_type": "mcq",
        "choices": CHOICES,
        "correct_choice_ids": ["B"],
    },
)
OTHER_NAMES = table(
    "number,question,reply", "a,Can I return a lamp?,Yes.", "b,When do you open?,At nine."
)


def send(page: Page, file: Path, button: str = "Upload and check") -> Upload:
    page.get_by_label("Dataset file").set_input_files(file)
    page.get_by_role("button", name=button).click()
    page.wait_for_url("**/uploads/**")
    return read(page)


def read(page: Page) -> Upload:
    """The worker reads what was sent last; the page follows by itself."""
    upload = Upload.objects.latest("id")
    jobs.look_at(Upload, upload.pk)
    page.wait_for_url(f"**/{upload.pk}/report/**")
    upload.refresh_from_db()
    return upload


def test_from_errors_to_the_valid_records(page: Page, alice: User, tmp_path: Path) -> None:
    file = tmp_path / "leases.jsonl"
    file.write_bytes(lines(legal(1), legal(2, prompt=""), legal(3, unknown="x")))
    sign_in(page, alice)
    page.goto(f"{DATASETS}upload/")

    send(page, file)
    assert_accessible(page)
    expect(page.get_by_role("columnheader", name="Line")).to_be_visible()
    page.get_by_role("button", name="Import the 2 valid records, leave 1 out").click()
    page.wait_for_url("**/uploads/**")
    upload = read(page)

    expect(page.get_by_text("1 record rejected, 2 records accepted.")).to_be_visible()
    assert upload.version is not None


def test_from_other_columns_over_a_preview_to_a_dataset(
    page: Page, alice: User, tmp_path: Path
) -> None:
    file = tmp_path / "answers.csv"
    file.write_bytes(OTHER_NAMES)
    sign_in(page, alice)
    page.goto(f"{DATASETS}upload/")
    page.get_by_label("Format", exact=True).select_option("pairs")
    expect(page.get_by_text("queries with the answers they got").first).to_be_visible()

    send(page, file)
    assert_accessible(page)
    page.get_by_label("id*").select_option("number")
    page.get_by_label("query*").select_option("question")
    page.get_by_label("response*").select_option("reply")
    page.get_by_role("button", name="Show the first records").click()
    page.wait_for_url("**/uploads/**")
    read(page)
    assert_accessible(page)
    expect(page.get_by_text("This is a preview: nothing is kept yet.")).to_be_visible()
    page.get_by_role("button", name="Import", exact=True).click()
    page.wait_for_url("**/uploads/**")
    upload = read(page)

    expect(page.get_by_text("Every record was accepted.")).to_be_visible()
    assert upload.version is not None


def test_a_folder_goes_along_with_its_paths(page: Page, alice: User, tmp_path: Path) -> None:
    folder = tmp_path / "evals"
    (folder / "attachments").mkdir(parents=True)
    (folder / "attachments" / "lease.txt").write_text("The landlord repairs the boiler.")
    file = folder / "leases.jsonl"
    file.write_bytes(lines(RICH[0]))
    sign_in(page, alice)
    page.goto(f"{DATASETS}upload/")
    page.get_by_text("Files that go with it").click()
    assert_accessible(page)

    page.get_by_label("A folder with all that is in it").set_input_files(folder)
    expect(page.get_by_text("2 files, ")).to_be_visible()
    upload = send(page, file)

    assert upload.verdict == "accepted", upload.outcome
    assert upload.files.filter(path="evals/attachments/lease.txt").exists()
    page.get_by_role("link", name="lease-1").click()
    panel = page.get_by_role("dialog", name="Details")
    panel.get_by_text("evals/attachments/lease.txt", exact=True).click()
    text = panel.get_by_role("region", name="evals/attachments/lease.txt")
    expect(text).to_have_text("The landlord repairs the boiler.")
    assert_accessible(page)


def test_too_many_files_are_told_before_they_are_sent(
    page: Page, alice: User, tmp_path: Path
) -> None:
    folder = tmp_path / "crowd"
    folder.mkdir()
    for number in range(501):
        (folder / f"{number}.txt").write_text("x")
    sign_in(page, alice)
    page.goto(f"{DATASETS}upload/")
    page.get_by_text("Files that go with it").click()

    page.get_by_label("A folder with all that is in it").set_input_files(folder)

    expect(page.get_by_text("501 files are more than 500: send them as a zip.")).to_be_visible()


def test_a_zip_with_two_datasets_asks_for_the_main_one(
    page: Page, alice: User, tmp_path: Path
) -> None:
    file = tmp_path / "all.zip"
    file.write_bytes(zip_of({"old.jsonl": lines(legal(1)), "new.jsonl": lines(legal(2))}))
    sign_in(page, alice)
    page.goto(f"{DATASETS}upload/")

    send(page, file)
    assert_accessible(page)
    page.get_by_label("Main file").select_option("new.jsonl")
    page.get_by_role("button", name="Read this one").click()
    page.wait_for_url("**/uploads/**")
    read(page)

    expect(page.get_by_text("Every record was accepted.")).to_be_visible()


def test_what_changed_is_seen_word_by_word(page: Page, workspace: Workspace, alice: User) -> None:
    old, _new = two_versions(workspace)
    sign_in(page, alice)
    page.goto(f"{DATASETS}{old.dataset_id}/")

    page.get_by_role("link", name="Compare versions").click()
    assert_accessible(page)

    expect(page.locator("del", has_text="overfitting")).to_be_visible()
    expect(page.locator("ins", has_text="underfitting")).to_be_visible()
    page.get_by_role("link", name="Removed 1").click()
    expect(page.get_by_role("heading", name="q_0002")).to_be_visible()


def test_an_admin_adds_changes_and_deletes_a_variable(page: Page, ada: User) -> None:
    sign_in(page, ada)
    page.goto(f"{DATASETS}variables/")
    page.get_by_label("Name*").fill("REGION")
    page.get_by_label("Value").fill("eu")
    page.get_by_role("button", name="Add").click()
    assert_accessible(page)

    page.get_by_role("textbox", name="Value of REGION").fill("us")
    page.get_by_role("button", name="Save the value of REGION").click()
    expect(page.get_by_role("textbox", name="Value of REGION")).to_have_value("us")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete").last.click()

    expect(page.get_by_text("No variables yet")).to_be_visible()


def two_versions(workspace: Workspace) -> tuple[DatasetVersion, DatasetVersion]:
    changed = record(1, input={"prompt": "Question 1: what is underfitting?"})
    old = a_version(workspace)
    return old, a_version(workspace, document(record(0), changed, record(3), dataset_version="2"))


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", NARROW)])
def test_the_pages_look_right(
    open_page: PageOpener, workspace: Workspace, ada: User, scheme: str, width: int
) -> None:
    page = open_page(width=width, scheme=scheme)
    sign_in(page, ada)

    for name, address in pages_to_see(workspace, ada).items():
        page.goto(f"{DATASETS}{address}")
        assert_accessible(page)
        fits = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert fits, f"{name} scrolls sideways at {width}"
        assert screenshot(page, f"formats-{name}-{scheme}-{width}").exists()


def pages_to_see(workspace: Workspace, ada: User) -> dict[str, str]:
    beside = {"attachments/lease.txt": [b"The landlord repairs the boiler."]}
    rich = kept(
        workspace, "leases.jsonl", lines(*RICH), ada, beside=beside, options=Options(label="spring")
    )
    many = [legal(n, prompt="") if n % 3 else legal(n, unknown=1) for n in range(12)]
    refused = kept(workspace, "leases.jsonl", lines(*many), ada)
    unmapped = kept(workspace, "answers.csv", OTHER_NAMES, ada, options=Options(format="pairs"))
    shown = kept(workspace, "leases.jsonl", lines(*RICH), ada, options=Options(preview=5))
    zipped = zip_of({"old.jsonl": lines(legal(1)), "new.jsonl": lines(legal(2))})
    several = kept(workspace, "all.zip", zipped, ada)
    old, _new = two_versions(workspace)
    variables.add(workspace=workspace, name="REGION", value="eu-west", by=ada)
    version = rich.version
    assert version is not None
    return {
        "upload": "upload/",
        "refused": f"uploads/{refused.pk}/report/",
        "mapping": f"uploads/{unmapped.pk}/report/",
        "preview": f"uploads/{shown.pk}/report/",
        "several": f"uploads/{several.pk}/report/",
        "version": f"versions/{version.pk}/",
        "with-files": f"versions/{version.pk}/records/0/",
        "rubric": f"versions/{version.pk}/records/1/",
        "choices": f"versions/{version.pk}/records/2/",
        "compare": f"{old.dataset_id}/compare/",
        "unfit": f"versions/{old.pk}/document/?format=pairs",
        "variables": "variables/",
    }
