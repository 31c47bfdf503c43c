"""The doors to pages."""

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.doors import door
from apps.accounts.models import Membership, User, Workspace
from apps.accounts.permissions import Role

pytestmark = pytest.mark.urls("tests.accounts.doors_urls")
PAGE = "/w/demo/page/"


def test_a_member_comes_in_with_workspace_and_membership(bob: User, client: Client) -> None:
    client.force_login(bob)

    assert client.get(PAGE).content == b"demo reviewer"


def test_a_role_without_the_permission_reads_which_role_it_takes(bob: User, client: Client) -> None:
    client.force_login(bob)

    answer = client.post(PAGE)

    assert answer.status_code == 403
    assert "You are a reviewer in Demo; this takes a lead or an admin." in answer.content.decode()


def test_a_stranger_finds_nothing(workspace: Workspace, charlie: User, client: Client) -> None:
    client.force_login(charlie)

    assert client.get(PAGE).status_code == 404


def test_a_superuser_who_is_no_member_is_a_stranger(workspace: Workspace, client: Client) -> None:
    client.force_login(User.objects.create_superuser("root"))

    assert client.get(PAGE).status_code == 404


def test_somebody_signed_out_comes_back_after_signing_in(alice: User, client: Client) -> None:
    asked = client.get(PAGE + "?by=language")
    signed_in = client.post(asked["Location"], {"username": "alice", "password": "correct horse"})

    assert asked["Location"] == "/sign-in/?next=/w/demo/page/%3Fby%3Dlanguage"
    assert signed_in["Location"] == "/w/demo/page/?by=language"


def test_after_a_lost_post_people_start_at_home(workspace: Workspace, client: Client) -> None:
    assert client.post(PAGE)["Location"] == "/sign-in/?next=/"


def test_a_fragment_of_somebody_signed_out_moves_the_whole_page(
    workspace: Workspace, client: Client
) -> None:
    answer = client.get(PAGE, headers={"HX-Request": "true"})

    assert answer["HX-Redirect"] == "/sign-in/"


def test_a_method_that_the_door_does_not_name_is_refused(bob: User, client: Client) -> None:
    client.force_login(bob)

    answer = client.delete(PAGE)

    assert answer.status_code == 405
    assert answer["Allow"] == "GET, POST"


def test_a_door_without_permission_does_not_exist() -> None:
    with pytest.raises(TypeError, match="needs a permission"):
        door()


# -- home -----------------------------------------------------------------------------------


def test_home_leads_to_the_only_workspace(bob: User, client: Client) -> None:
    client.force_login(bob)

    assert client.get("/")["Location"] == reverse("dashboards:overview", args=["demo"])


def test_home_leads_to_the_workspace_visited_last(bob: User, charlie: User, client: Client) -> None:
    elsewhere = charlie.memberships.get().workspace
    Membership.objects.create(workspace=elsewhere, user=bob, role=Role.LEAD)
    client.force_login(bob)

    client.get("/w/elsewhere/page/")

    assert client.get("/")["Location"] == reverse("dashboards:overview", args=["elsewhere"])


def test_home_says_what_to_do_without_a_workspace(db: None, client: Client) -> None:
    client.force_login(User.objects.create_user("dora"))

    answer = client.get("/")

    assert "Ask an admin to invite you" in answer.content.decode()


def test_who_is_refused_keeps_the_ways_to_other_pages(bob: User, client: Client) -> None:
    client.force_login(bob)

    refused = client.post(PAGE).content.decode()

    assert 'aria-label="Sections"' in refused
    assert "You are signed in as reviewer of Demo" in refused


@pytest.mark.parametrize("path", ["gates/policies/gp_%00/", "judges/%00/", "datasets/%00/"])
def test_a_zero_byte_in_an_address_is_the_name_of_nothing(
    client: Client, workspace: Workspace, ada: User, path: str
) -> None:
    client.force_login(ada)

    assert client.get(f"/w/{workspace.slug}/{path}").status_code == 404
