"""The main job on the product as people start it: `evalhub up`, Chromium, workers, a model server.

A dataset goes in through the form, its report is read, a target is added, a run is started and
watched until it has ended, and its files are taken away and verified.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.datasets.documents import bad_record, document, record
from tests.model_server.handle import ModelServer
from tests.processes import CHECKOUT, START_SECONDS, Running, bare_environment, free_port

pytestmark = [pytest.mark.browser, pytest.mark.kill, pytest.mark.xdist_group("main job")]

PASSWORD = "a long and quiet river"
PATIENCE_MS = 120_000
SHARED = Path(os.environ.get("EVALHUB_SHARED", CHECKOUT.parent / "shared"))
REAL = SHARED / "data" / "dataset_contract" / "expertqa_contract_v1.json"


class Product(Running):
    """`evalhub up` on a data directory of its own, with one admin."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.environment = bare_environment(
            folder / "data", EVALHUB_WORKERS="2", ADA_PASSWORD=PASSWORD
        )
        self.command("user", "create", "ada", "--role", "admin", "--password-env", "ADA_PASSWORD")
        self.command("contract", "import", "--starter", "reference")
        super().__init__("up", "--port", str(self.port), environment=self.environment)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def command(self, *arguments: str) -> str:
        finished = subprocess.run(
            [sys.executable, "-m", "evalhub", *arguments],
            cwd=CHECKOUT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert finished.returncode in (0, 1), finished.stderr
        return finished.stdout

    def last_run(self) -> dict[str, Any]:
        found: list[dict[str, Any]] = json.loads(self.command("runs", "--json"))
        return found[0]


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    running = Product(tmp_path_factory.mktemp("product"))
    try:
        running.wait_for("EvalHub is up", START_SECONDS)
        yield running
    finally:
        running.clean_up()


@pytest.fixture
def ada(product: Product, browser: Browser) -> Iterator[Page]:
    """Ada's browser, signed in through the form."""
    context = browser.new_context(base_url=product.url, reduced_motion="reduce")
    page = context.new_page()
    page.goto("/")
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("link", name="Datasets").first).to_be_visible()
    yield page
    context.close()


def upload(page: Page, file: Path) -> None:
    page.goto("/w/main/datasets/upload/")
    page.get_by_label("Dataset file").set_input_files(file)
    page.get_by_role("button", name="Upload and check").click()
    page.wait_for_url("**/report/**", timeout=PATIENCE_MS)


def add_target(page: Page, name: str, server: ModelServer) -> None:
    page.goto("/w/main/targets/new/?kind=openai_chat")
    page.locator("[name=name]").fill(name)
    page.get_by_label("Base URL").fill(server.base_url)
    page.locator("[name=model]").fill("mock-1")
    page.get_by_label("Concurrency").fill("32")
    page.get_by_role("button", name="Add target").click()
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_text("It answers, in")).to_be_visible()


def start_and_watch(page: Page, target: str, name: str) -> None:
    page.get_by_role("link", name="Start a run").first.click()
    page.locator("[name=target]").select_option(value=option(page, target))
    page.get_by_label("Grading contract").select_option(index=1)
    page.locator("[name=name]").fill(name)
    page.get_by_role("button", name="Start run").click()
    page.wait_for_url("**/runs/run_*/**", timeout=PATIENCE_MS)
    ended = page.get_by_text("Completed", exact=False).first
    expect(ended).to_be_visible(timeout=PATIENCE_MS)


def option(page: Page, text: str) -> str:
    found = page.locator("[name=target] option", has_text=text).first
    return str(found.get_attribute("value"))


def test_from_a_file_with_errors_to_a_verified_folder(
    product: Product, ada: Page, model_server: ModelServer, tmp_path: Path
) -> None:
    file = tmp_path / "questions.json"
    file.write_bytes(document(*[record(n) for n in range(40)], *[bad_record(n) for n in (40, 41)]))

    upload(ada, file)
    expect(ada.get_by_text("42", exact=True).first).to_be_visible()
    report = ada.url
    add_target(ada, "loopback", model_server)
    model_server.plan(latency_ms=20, faults=[{"mode": "429", "share": 0.2, "times": 1}])
    ada.goto(report)
    start_and_watch(ada, "loopback", "the main job")

    run = product.last_run()
    assert run["status"] == "completed_with_failures"  # two records were no records
    assert run["counts"]["total_records"] == 42
    assert run["counts"]["evaluated_records"] == 40
    assert model_server.stats()["repeats"] == 0
    taken = tmp_path / "taken"
    product.command("artifacts", run["run_id"], "--to", str(taken))
    assert json.loads(product.command("verify", str(taken), "--json"))["ok"] is True


@pytest.mark.skipif(not REAL.is_file(), reason="the real data lies beside the checkout, not here")
def test_the_real_dataset_runs_and_none_of_its_records_is_lost(
    product: Product, ada: Page, model_server: ModelServer
) -> None:

    upload(ada, REAL)
    expect(ada.get_by_text("1,734", exact=True).first).to_be_visible()
    report = ada.url
    add_target(ada, "for the real data", model_server)
    model_server.plan(latency_ms=5, faults=[{"mode": "429", "share": 0.05, "times": 1}])
    ada.goto(report)
    start_and_watch(ada, "for the real data", "real questions")

    run = product.last_run()
    assert run["counts"]["valid_records"] == 1734
    assert run["counts"]["evaluated_records"] == 1734
    assert run["status"] == "completed"
