import pytest
from django.conf import LazySettings
from django.test import Client, override_settings

pytestmark = pytest.mark.usefixtures("sheets")


def test_people_get_the_whole_page(client: Client, db: None) -> None:
    response = client.get("/runs/records/2/")

    assert "<!doctype html>" in response.content.decode()
    assert response["Vary"].startswith("HX-Request")


def test_htmx_gets_the_fragment_alone(client: Client, db: None) -> None:
    response = client.get("/runs/records/2/", headers={"HX-Request": "true"})

    body = response.content.decode()
    assert "<!doctype html>" not in body
    assert 'class="panel-body"' in body


@pytest.mark.parametrize("header", ["HX-Boosted", "HX-History-Restore-Request"])
def test_a_page_that_replaces_the_page_is_whole(client: Client, db: None, header: str) -> None:
    response = client.get("/runs/records/2/", headers={"HX-Request": "true", header: "true"})

    assert "<!doctype html>" in response.content.decode()


@pytest.mark.parametrize(("target", "whole"), [("slices", False), ("other", True)])
def test_of_several_fragments_the_target_chooses(
    client: Client, db: None, target: str, whole: bool
) -> None:
    response = client.get("/runs/", headers={"HX-Request": "true", "HX-Target": target})

    assert ("<!doctype html>" in response.content.decode()) is whole


def test_the_theme_of_the_cookie_is_in_the_page(client: Client, db: None) -> None:
    client.cookies["theme"] = "dark"

    assert 'data-theme="dark"' in client.get("/runs/").content.decode()


def test_a_theme_that_does_not_exist_is_not_written_into_the_page(client: Client, db: None) -> None:
    client.cookies["theme"] = '"><script>'

    assert 'data-theme="auto"' in client.get("/runs/").content.decode()


def test_the_section_one_is_in_is_marked(client: Client, db: None) -> None:
    page = client.get("/runs/").content.decode()

    assert '<a href="/runs/demo/" aria-current="page">Runs</a>' in page
    assert page.count('aria-current="page">Runs') == 1


@pytest.mark.parametrize("address", ["/nowhere/", "/runs/forbidden/"])
def test_error_pages_say_what_to_do(client: Client, db: None, address: str) -> None:
    page = client.get(address).content.decode()

    assert "<h1>" in page
    assert "Start page" in page


def test_what_a_refusal_says_is_shown(client: Client, db: None) -> None:
    response = client.get("/runs/forbidden/")

    assert response.status_code == 403
    assert "Only leads start runs." in response.content.decode()


def test_a_broken_page_needs_neither_database_nor_people(settings: LazySettings) -> None:
    client = Client(raise_request_exception=False)

    response = client.get("/runs/broken/")

    assert response.status_code == 500
    assert "Something broke in EvalHub" in response.content.decode()


@override_settings(ALLOWED_HOSTS=["elsewhere.example"])
def test_a_bad_request_needs_neither() -> None:
    response = Client().get("/runs/")

    assert response.status_code == 400
    assert "could not read this request" in response.content.decode()
