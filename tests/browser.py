"""A real Chromium for the tests marked `browser`: fixtures, signing in, accessibility, pictures."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from django.conf import settings as project
from django.test import Client
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    expect,
    sync_playwright,
)
from pytest_django.live_server_helper import LiveServer

from apps.accounts.models import User

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("EVALHUB_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), "")
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE = 1440
NARROW = 400
HEIGHT = 1000
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

PageOpener = Callable[..., Page]

expect.set_options(timeout=30_000)  # a shared machine is slow at times; what is right is not late


# By module: as long as it is open, Playwright's loop keeps other tests from asyncio.run.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not shutil.which(CHROMIUM):
        pytest.skip(
            "no Chromium here: install the package chromium, or name one in EVALHUB_CHROMIUM"
        )
    # Playwright's loop runs in this thread, which Django takes for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def live_url(live_server: LiveServer) -> str:
    return live_server.url


@pytest.fixture
def open_page(browser: Browser, live_url: str) -> Iterator[PageOpener]:
    """Pages of a width and a colour scheme; a violated policy or a broken script fails the test."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            complaints.append(message.text)

    def opened(width: int = WIDE, scheme: str = "light", js: bool = True) -> Page:
        context = browser.new_context(
            base_url=live_url,
            viewport={"width": width, "height": HEIGHT},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=js,
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def page(open_page: PageOpener) -> Page:
    return open_page()


def sign_in(page: Page, user: User) -> None:
    """Give the browser a session of this person, without the form."""
    client = Client()
    client.force_login(user)
    cookie = client.cookies[project.SESSION_COOKIE_NAME]
    page.context.add_cookies(
        [{"name": cookie.key, "value": cookie.value, "domain": "localhost", "path": "/"}]
    )


def assert_accessible(page: Page) -> None:
    """Nothing that axe finds against WCAG 2.2 AA, with the elements named."""
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}})
    violations = [
        f"{violation['id']}: {violation['help']}\n    "
        + "\n    ".join(
            f"{node['target']} {node['html'][:160]} {node.get('failureSummary', '')[:300]}"
            for node in violation["nodes"][:6]
        )
        for violation in found.response["violations"]
    ]
    assert not violations, f"{page.url}\n" + "\n".join(violations)


def assert_drawn_under_the_name(region: Locator) -> None:
    """In a table on a narrow screen: an interval in its row, at once under what it belongs to."""
    row = region.get_by_role("row").filter(has=region.page.locator("svg.whisker")).first
    name = row.get_by_role("rowheader").bounding_box()
    chart = row.locator("svg.whisker").bounding_box()
    assert name is not None
    assert chart is not None
    assert name["y"] + name["height"] <= chart["y"] < name["y"] + name["height"] + 30
    assert chart["width"] > NARROW * 0.6


def screenshot(page: Page, name: str) -> Path:
    """Keep a picture of the whole page in the data directory, to look at."""
    path = Path(project.DATA_DIR) / "screenshots" / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=path, full_page=True)
    return path
