"""The way in without a password: a ticket opens the stock page, once."""

import re
from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, Request, expect

from apps.labeling.members.tickets import LIFETIME_SECONDS, ticket
from tests.desk import Desk

from .queue import Person, Queue

pytestmark = pytest.mark.argilla


@pytest.fixture(scope="module")
def queue(desk: Desk) -> Queue:
    return Queue(desk)


@pytest.fixture(scope="module")
def bob(queue: Queue) -> Person:
    return queue.person("bob")


def _address(
    desk: Desk, account: str, path: str = "/", *, seconds: float = 0, key: str = ""
) -> str:
    """What EvalHub sends the browser of that person to, so many seconds from now."""
    now = timezone.now() + timedelta(seconds=seconds)
    text = ticket(account, path, key=key or desk.ticket_key, now=now)
    return f"{desk.url}/evalhub/enter?ticket={text}"


def _assert_refused(answer: httpx.Response) -> None:
    assert answer.status_code == 403
    assert "Go back to EvalHub" in answer.text
    assert "Bearer" not in answer.text


def test_a_ticket_is_good_once(desk: Desk, bob: Person) -> None:
    address = _address(desk, bob.id)

    first, second = httpx.get(address, timeout=60), httpx.get(address, timeout=60)

    token = re.search(r'"(Bearer [^"]+)"', first.text)
    assert token
    me = httpx.get(f"{desk.url}/api/v1/me", headers={"Authorization": token[1]}, timeout=60).json()
    assert me["username"] == bob.name
    assert first.headers["cache-control"] == "no-store"
    _assert_refused(second)


def test_an_old_ticket_is_refused(desk: Desk, bob: Person) -> None:
    _assert_refused(httpx.get(_address(desk, bob.id, seconds=-LIFETIME_SECONDS - 1), timeout=60))


def test_a_ticket_from_before_the_server_was_started_is_refused(desk: Desk, bob: Person) -> None:
    started = timezone.now().timestamp() - desk.process.process.create_time()

    early = httpx.get(_address(desk, bob.id, seconds=-started), timeout=60)

    _assert_refused(early)


def test_a_ticket_of_another_installation_is_refused(desk: Desk, bob: Person) -> None:
    _assert_refused(httpx.get(_address(desk, bob.id, key="another key"), timeout=60))


def test_neither_a_stranger_nor_the_owner_gets_in_with_a_ticket(desk: Desk) -> None:
    owner = desk.call("GET", "/api/v1/me")["id"]

    for account in (str(uuid4()), owner):
        _assert_refused(httpx.get(_address(desk, account), timeout=60))


def test_who_is_called_otherwise_by_now_gets_in_all_the_same(desk: Desk, queue: Queue) -> None:
    person = queue.person("bert")
    renamed = {"username": f"{person.name}-by-now"}
    desk.call("PATCH", f"/api/v1/users/{person.id}", json=renamed)

    assert httpx.get(_address(desk, person.id), timeout=60).status_code == 200


@pytest.mark.parametrize("text", ["", "?ticket=", "?ticket=a.b", "?ticket=%00", "?ticket=%ff.%ff"])
def test_without_a_ticket_there_is_no_way_in(desk: Desk, text: str) -> None:
    _assert_refused(httpx.get(f"{desk.url}/evalhub/enter{text}", timeout=60))


def test_a_page_cannot_break_out_of_the_script(desk: Desk, bob: Person) -> None:
    path = '/"+alert(1)+"</script><script>alert(2)</script>'

    answer = httpx.get(_address(desk, bob.id, path), timeout=60)

    assert answer.text.count("<script") == 1
    assert answer.text.count("</script>") == 1
    assert r'location.replace("/\"+alert(1)+\"\u003c/script>' in answer.text


# -- in a browser -------------------------------------------------------------------------------


@pytest.fixture
def page(browser: Browser, desk: Desk) -> Iterator[Page]:
    """A browser that nobody has signed in with, whose pages come from the desk only."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
    page = context.new_page()
    let_out: list[str] = []
    broken: list[str] = []

    def look(request: Request) -> None:
        if not request.url.startswith((desk.url, "data:", "blob:")) and request.failure != "csp":
            let_out.append(request.url)

    page.on("requestfinished", look)
    page.on("requestfailed", look)
    page.on("pageerror", lambda error: broken.append(str(error)))
    yield page
    context.close()
    assert (let_out, broken) == ([], [])


@pytest.mark.browser
def test_the_page_to_answer_on_opens_without_a_password(
    desk: Desk, queue: Queue, bob: Person, page: Page
) -> None:
    (record,) = queue.put(
        {
            "external_id": "shown",
            "fields": {"query": "Where is my refund?", "response": "It is **on its way**."},
        }
    )

    page.goto(_address(desk, bob.id, f"/dataset/{queue.id}/annotation-mode"))

    expect(page.get_by_text("Where is my refund?").first).to_be_visible()
    assert urlsplit(page.url).path == f"/dataset/{queue.id}/annotation-mode"
    page.get_by_text("good", exact=True).first.click()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Where is my refund?")).to_have_count(0)
    found = desk.call("GET", f"/api/v1/records/{record}")
    answers = [(each["status"], each["values"]["label"]["value"]) for each in found["responses"]]
    assert answers == [("submitted", "good")]


@pytest.mark.browser
@pytest.mark.parametrize("signed_out", [False, True])
def test_where_somebody_else_was_in_the_page_names_the_person_and_asks(
    desk: Desk, queue: Queue, bob: Person, page: Page, signed_out: bool
) -> None:
    alice = queue.person("alice")
    page.goto(_address(desk, bob.id, "/user-settings"))
    expect(page.get_by_text(bob.name).first).to_be_visible()
    if signed_out:
        page.evaluate("localStorage.setItem('auth._token.local', 'false')")

    page.goto(_address(desk, alice.id, "/user-settings"))

    expect(page.get_by_role("heading", name=f"Are you {alice.name}")).to_be_visible()
    assert alice.id not in page.evaluate("localStorage.getItem('evalhub.account')")
    page.get_by_role("button", name=f"Yes, label as {alice.name}").click()
    expect(page).to_have_url(f"{desk.url}/user-settings")
    expect(page.get_by_text(alice.name).first).to_be_visible()
    expect(page.get_by_text(bob.name)).to_have_count(0)


@pytest.mark.browser
def test_who_is_not_the_person_stays_who_they_were(
    desk: Desk, queue: Queue, bob: Person, page: Page
) -> None:
    mallory = queue.person("mallory")
    page.goto(_address(desk, bob.id, "/user-settings"))
    expect(page.get_by_text(bob.name).first).to_be_visible()
    page.goto(_address(desk, mallory.id, "/user-settings"))
    expect(page.get_by_role("heading", name="Are you")).to_be_visible()

    page.goto(f"{desk.url}/user-settings")

    expect(page.get_by_text(bob.name).first).to_be_visible()
    expect(page.get_by_text(mallory.name)).to_have_count(0)


@pytest.mark.browser
def test_the_same_person_is_not_asked_again(desk: Desk, bob: Person, page: Page) -> None:
    for _ in range(2):
        page.goto(_address(desk, bob.id, "/user-settings"))
        expect(page).to_have_url(f"{desk.url}/user-settings")
        expect(page.get_by_text(bob.name).first).to_be_visible()


def test_a_name_is_shown_as_text(desk: Desk, queue: Queue) -> None:
    person = queue.person("eve")
    hostile = {"first_name": "<img src=x onerror=alert(1)> %(token)s"}
    desk.call("PATCH", f"/api/v1/users/{person.id}", json=hostile)

    shown = httpx.get(_address(desk, person.id), timeout=60).text

    assert "<img" not in shown
    assert "&lt;img src=x onerror=alert(1)&gt; %(token)s" in shown


@pytest.mark.browser
def test_a_text_to_label_neither_runs_nor_calls_elsewhere(
    desk: Desk, queue: Queue, page: Page
) -> None:
    alice = queue.person("alice")
    hostile = """Look here. <img src=x onerror="document.title='run'"> <script>document.title='run'
        </script> ![pixel](https://example.org/pixel.png) <svg onload="document.title='run'">"""
    queue.put({"external_id": "hostile", "fields": {"query": "Hostile?", "response": hostile}})

    page.goto(_address(desk, alice.id, f"/dataset/{queue.id}/annotation-mode"))

    expect(page.get_by_text("Look here.").first).to_be_visible()
    assert page.title() != "run"
