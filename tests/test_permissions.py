"""Every address × role × method, generated from the URL table: allowed, or refused as promised."""

from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import User, Workspace
from apps.accounts.permissions import ROLES_ALLOWED, Permission, Role, allows
from tests.url_samples import BODIES, OF_NO_WORKSPACE, PUBLIC, SAMPLES
from tests.url_table import Address, addresses

ADDRESSES = addresses()
CAST = {Role.REVIEWER: "bob", Role.LEAD: "alice", Role.ADMIN: "ada"}


def _doors(guard: str, of_an_object: bool = False) -> pytest.MarkDecorator:
    doors = [
        pytest.param(address, method, id=f"{method} {address}")
        for address in ADDRESSES
        if address.guard == guard and (_names_an_object(address) or not of_an_object)
        for method in sorted(address.permissions)
    ]
    return pytest.mark.parametrize(("address", "method"), doors)


def _names_an_object(address: Address) -> bool:
    return bool(address.arguments) and address.name not in OF_NO_WORKSPACE


every_page = _doors("page")
every_page_of_an_object = _doors("page", of_an_object=True)
every_action = _doors("api")
every_action_on_an_object = _doors("api", of_an_object=True)
every_role = pytest.mark.parametrize("role", list(Role))


def url_of(address: Address, workspace: Workspace, user: User) -> str:
    """The address of a sample object in this workspace."""
    slug = {"slug": workspace.slug} if address.guard == "page" else {}
    return reverse(address.name, kwargs={**slug, **_arguments(address, workspace, user)})


def _arguments(address: Address, workspace: Workspace, user: User) -> dict[str, Any]:
    if not address.arguments:
        return {}
    if address.name not in SAMPLES:
        needed = ", ".join(sorted(address.arguments))
        pytest.fail(f"{address.name} needs {needed}: add a sample to tests/url_samples.py.")
    return SAMPLES[address.name](workspace, user)


def open_page(client: Client, address: Address, method: str, url: str) -> HttpResponse:
    body = BODIES.get((address.name, method), {})
    answer: HttpResponse = client.post(url, body) if method == "POST" else client.get(url)
    return answer


def call(client: Client, address: Address, method: str, url: str, **headers: Any) -> HttpResponse:
    ask = getattr(client, method.lower())
    if method == "GET":
        answer: HttpResponse = ask(url, headers=headers)
    else:
        body = BODIES.get((address.name, method), {})
        answer = ask(url, body, content_type="application/json", headers=headers)
    return answer


def leads_to_sign_in(answer: HttpResponse) -> bool:
    return answer.status_code == 302 and answer["Location"].startswith(reverse("accounts:sign-in"))


# -- the table ------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ADDRESSES, ids=str)
def test_every_address_has_a_name_and_a_guard(address: Address) -> None:
    assert address.name, f"{address.route} has no name"
    assert address.guard != "none", (
        f"{address.route} is open to nobody in particular: use door, signed_in, public or "
        "permissions of WorkspaceAPIView"
    )


def test_nothing_is_public_but_what_is_meant_to_be() -> None:
    public = {address.name for address in ADDRESSES if address.guard == "public"}

    assert public <= PUBLIC


def test_every_page_of_a_workspace_lives_below_its_slug() -> None:
    elsewhere = [a.route for a in ADDRESSES if a.guard == "page" and "<slug:slug>" not in a.route]

    assert elsewhere == []


def test_every_method_of_the_api_names_its_permission() -> None:
    shut = [a.name for a in ADDRESSES if a.guard == "api" and a.served != set(a.permissions)]

    assert shut == []


def test_every_permission_has_its_roles_and_an_admin_may_everything() -> None:
    assert set(ROLES_ALLOWED) == set(Permission)
    assert all(allows(Role.ADMIN, permission) for permission in Permission)


# -- pages ----------------------------------------------------------------------------------


@every_role
@every_page
def test_a_page_opens_for_exactly_the_roles_allowed(
    address: Address,
    method: str,
    role: Role,
    workspace: Workspace,
    client: Client,
    request: pytest.FixtureRequest,
) -> None:
    person: User = request.getfixturevalue(CAST[role])
    client.force_login(person)

    answer = open_page(client, address, method, url_of(address, workspace, person))

    if allows(role, address.permissions[method]):
        assert answer.status_code not in (401, 403, 404)
        assert answer.status_code < 500
        assert not leads_to_sign_in(answer)
    else:
        assert answer.status_code == 403


@every_page
def test_a_stranger_finds_no_page(
    address: Address, method: str, workspace: Workspace, ada: User, charlie: User, client: Client
) -> None:
    url = url_of(address, workspace, ada)
    client.force_login(charlie)

    answer = open_page(client, address, method, url)

    assert answer.status_code == 404


@every_page
def test_somebody_signed_out_is_asked_to_sign_in(
    address: Address, method: str, workspace: Workspace, ada: User, client: Client
) -> None:
    answer = open_page(client, address, method, url_of(address, workspace, ada))

    assert leads_to_sign_in(answer)


@every_page_of_an_object
def test_another_workspace_does_not_lead_to_the_object(
    address: Address, method: str, workspace: Workspace, ada: User, charlie: User, client: Client
) -> None:
    """Charlie is an admin, of a workspace of his own: its slug with our id is nothing."""
    arguments = _arguments(address, workspace, ada)
    client.force_login(charlie)
    url = reverse(address.name, kwargs={"slug": "elsewhere", **arguments})
    answer = open_page(client, address, method, url)

    assert answer.status_code == 404


@pytest.mark.parametrize("address", [a for a in ADDRESSES if a.guard == "personal"], ids=str)
def test_a_personal_page_opens_for_everybody_signed_in(
    address: Address, alice: User, client: Client
) -> None:
    signed_out = client.get(reverse(address.name))
    client.force_login(alice)
    signed_in = client.get(reverse(address.name))

    assert leads_to_sign_in(signed_out)
    assert signed_in.status_code in (200, 302)
    assert not leads_to_sign_in(signed_in)


# -- the API --------------------------------------------------------------------------------


@every_role
@every_action
def test_an_api_action_answers_exactly_the_roles_allowed(
    address: Address,
    method: str,
    role: Role,
    workspace: Workspace,
    client: Client,
    request: pytest.FixtureRequest,
) -> None:
    person: User = request.getfixturevalue(CAST[role])
    url = url_of(address, workspace, person)

    answer = call(client, address, method, url, authorization=_bearer(workspace, person))

    if allows(role, address.permissions[method]):
        assert answer.status_code not in (401, 403, 404)
        assert answer.status_code < 500
    else:
        assert answer.status_code == 403


@every_action
def test_a_stranger_gets_nothing_from_the_api(
    address: Address, method: str, workspace: Workspace, ada: User, charlie: User, client: Client
) -> None:
    url = url_of(address, workspace, ada)
    client.force_login(charlie)

    answer = call(client, address, method, f"{url}?workspace={workspace.slug}")

    assert answer.status_code == 404


@every_action_on_an_object
def test_a_token_of_another_workspace_does_not_lead_to_the_object(
    address: Address, method: str, workspace: Workspace, ada: User, charlie: User, client: Client
) -> None:
    bearer = _bearer(charlie.memberships.get().workspace, charlie)

    answer = call(client, address, method, url_of(address, workspace, ada), authorization=bearer)

    assert answer.status_code == 404


@every_action
def test_the_api_asks_who_calls(
    address: Address, method: str, workspace: Workspace, ada: User, client: Client
) -> None:
    answer = call(client, address, method, url_of(address, workspace, ada))

    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Bearer")


def _bearer(workspace: Workspace, user: User) -> str:
    made = services.create_token(
        user=user,
        workspace=workspace,
        name="test",
        lifetime=timedelta(days=1),
        now=timezone.now(),
        actor=user,
    )
    return f"Bearer {made.plaintext}"
