"""Labelling as people do it: `evalhub up --demo`, its Argilla, workers, and Chromium.

Bob goes from his page in EvalHub to the stock pages of Argilla, answers there by mouse, and Alice
sees in EvalHub what he said.
"""

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from evalhub.config import load
from evalhub.demo import labelling
from tests.desk import Desk, running_desk
from tests.processes import Running, bare_environment, free_port, wait_until

pytestmark = [
    pytest.mark.browser,
    pytest.mark.kill,
    pytest.mark.argilla,
    pytest.mark.xdist_group("labelling"),
]

PATIENCE_SECONDS = 240.0
GROUNDING = "Is everything that the response claims supported by the context?"
SignIn = Callable[[str], Page]


class Product(Running):
    """`evalhub up --demo` on a data directory of its own."""

    def __init__(self, data: Path, **variables: str) -> None:
        self.data, self.port = data, free_port()
        environment = bare_environment(data, EVALHUB_WORKERS="2", **variables)
        super().__init__("up", "--demo", "--port", str(self.port), environment=environment)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def password(self, name: str) -> str:
        kept: dict[str, str] = json.loads((self.data / "demo-sign-ins.json").read_text())
        return kept[name]


@contextmanager
def started(data: Path, **variables: str) -> Iterator[Product]:
    if not load().argilla.python.is_file():
        pytest.skip("no environment for the Argilla server: make argilla")
    running = Product(data, **variables)
    try:
        running.wait_for("EvalHub is up")
        yield running
    finally:
        running.clean_up()


@contextmanager
def people(browser: Browser, product: Product) -> Iterator[SignIn]:
    """Each in a browser of their own, signed in through the form."""
    contexts = []

    def sign_in(name: str) -> Page:
        context = browser.new_context(base_url=product.url, reduced_motion="reduce")
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto("/")
        page.get_by_label("User name").fill(name)
        page.get_by_label("Password").fill(product.password(name))
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("link", name="Labelling").first).to_be_visible()
        return page

    yield sign_in
    for context in contexts:
        context.close()


def reload_until(page: Page, shown: Locator) -> None:
    """What workers bring is on the page when it is next opened."""

    def is_there() -> bool:
        page.reload()
        return shown.first.is_visible()

    wait_until(is_there, PATIENCE_SECONDS)


@pytest.fixture
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A server that EvalHub knows by its address and the key of its owner only."""
    with running_desk(tmp_path_factory.mktemp("desk")) as running:
        yield running


# -- on the stock pages of Argilla --------------------------------------------------------------


def question(page: Page, title: str) -> Locator:
    asked = page.get_by_role("form", name="Annotation Questions").get_by_label("Question:")
    return asked.filter(has_text=title)


def query_shown(page: Page) -> Locator:
    field = page.locator(".text_field_component", has=page.get_by_text("Query", exact=True))
    return field.locator(".content-area")


def decide(page: Page, title: str, choice: str, button: str) -> str:
    """Choose, press the button, wait for the next record; our id of the one that was answered."""
    shown = query_shown(page)
    expect(shown).not_to_be_empty(timeout=PATIENCE_SECONDS * 1_000)
    query = shown.inner_text().strip()
    question(page, title).get_by_text(choice, exact=True).click()
    page.get_by_role("button", name=button).click()
    expect(shown).not_to_have_text(query)
    return record_of(query)


def record_of(query: str) -> str:
    with (labelling.HERE / f"{labelling.ANSWERS}.csv").open(encoding="utf-8", newline="") as file:
        [found] = [row["id"] for row in csv.DictReader(file) if row["query"] == query]
    return found


def answer_one_and_discard_one(page: Page) -> tuple[str, str]:
    answered = decide(page, GROUNDING, "No", "Submit")
    return answered, decide(page, "If you discard it", "Unclear", "Discard")


# -- back in EvalHub ----------------------------------------------------------------------------


def way_to_the_queue(bob: Page) -> Locator:
    """On his page, once the campaign is open."""
    bob.goto("/w/demo/labeling/mine/")
    button = queue_of(bob).get_by_role("button", name="Label").first
    reload_until(bob, button)
    return button


def opened(button: Locator) -> Page:
    """The desk opens in a tab of its own; EvalHub stays."""
    with button.page.expect_popup() as tab:
        button.click()
    tab.value.set_default_timeout(60_000)
    return tab.value


def queue_of(bob: Page) -> Locator:
    return bob.get_by_role("row", name="Grounding")


def assert_both_know(bob: Page, alice: Page, answered: str, discarded: str) -> None:
    bob.goto("/w/demo/labeling/mine/")
    reload_until(bob, queue_of(bob).get_by_text("2 of 20"))
    alice.goto("/w/demo/labeling/")
    alice.get_by_role("link", name=labelling.CAMPAIGN).click()
    alice.get_by_role("link", name="Labels", exact=True).click()
    said = alice.get_by_role("row").filter(has_text="bob")
    expect(said).to_have_count(2)
    expect(said.filter(has=alice.get_by_role("link", name=answered))).to_contain_text("No")
    turned_down = said.filter(has=alice.get_by_role("link", name=discarded))
    expect(turned_down).to_contain_text("Discarded")
    expect(turned_down).to_contain_text("Unclear")


def test_what_bob_answers_on_argillas_page_arrives(browser: Browser, tmp_path: Path) -> None:
    local = {"EVALHUB_ARGILLA_MODE": "local", "EVALHUB_ARGILLA_PORT": str(free_port())}
    with started(tmp_path / "data", **local) as product, people(browser, product) as sign_in:
        bob = sign_in("bob")

        desk = opened(way_to_the_queue(bob))
        answered, discarded = answer_one_and_discard_one(desk)

        assert_both_know(bob, sign_in("alice"), answered, discarded)


def test_at_any_other_server_bob_signs_in_with_the_account_that_was_handed_to_him(
    desk: Desk, browser: Browser, tmp_path: Path
) -> None:
    hosted = {
        "EVALHUB_ARGILLA_MODE": "hosted",
        "EVALHUB_ARGILLA_URL": desk.url,
        "EVALHUB_ARGILLA_API_KEY": desk.owner_key,
    }
    with started(tmp_path / "data", **hosted) as product, people(browser, product) as sign_in:
        bob = sign_in("bob")
        way_in = way_to_the_queue(bob)
        bob.get_by_role("button", name="Show the password").click()
        password = bob.locator("main code").inner_text()

        page = opened(way_in)
        page.get_by_label("Username").fill("bob")
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()
        answered, discarded = answer_one_and_discard_one(page)

        assert_both_know(bob, sign_in("alice"), answered, discarded)
