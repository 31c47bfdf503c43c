"""Signing in and out, lockout, forgotten passwords, the profile."""

import re
from datetime import datetime, timedelta

import pytest
from django.conf import LazySettings
from django.core import mail
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import AuditEvent, User

SIGN_IN = "/sign-in/"


def sign_in(client: Client, password: str = "correct horse") -> HttpResponse:
    answer: HttpResponse = client.post(SIGN_IN, {"username": "alice", "password": password})
    return answer


def test_the_right_password_leads_home(alice: User, client: Client) -> None:
    answer = sign_in(client)

    assert answer["Location"] == reverse("home")
    assert client.session["_auth_user_id"] == str(alice.pk)


def test_the_wrong_password_says_so_and_signs_nobody_in(alice: User, client: Client) -> None:
    answer = sign_in(client, "wrong")

    assert "You are not signed in." in answer.content.decode()
    assert "_auth_user_id" not in client.session


def test_nobody_is_sent_to_another_site(alice: User, client: Client) -> None:
    answer = client.post(
        SIGN_IN + "?next=https://evil.example/",
        {"username": "alice", "password": "correct horse"},
    )

    assert answer["Location"] == reverse("home")


def test_signing_out_takes_a_post(alice: User, client: Client) -> None:
    client.force_login(alice)

    by_link = client.get("/sign-out/")
    by_button = client.post("/sign-out/")

    assert by_link.status_code == 405
    assert by_button["Location"] == SIGN_IN
    assert "_auth_user_id" not in client.session


# -- lockout --------------------------------------------------------------------------------


def test_after_five_wrong_passwords_the_right_one_does_not_open_either(
    alice: User, client: Client
) -> None:
    answers = [sign_in(client, "wrong") for _ in range(5)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 429]
    assert sign_in(client).status_code == 429
    assert "_auth_user_id" not in client.session


def test_the_page_says_when_to_come_back_and_trying_again_does_not_move_it(
    alice: User, client: Client
) -> None:
    for _ in range(4):
        sign_in(client, "wrong")

    locked = sign_in(client, "wrong")
    again = sign_in(client, "wrong")

    until: datetime = locked.context["until"]  # type: ignore[attr-defined]
    assert timedelta(minutes=14) < until - timezone.now() <= timedelta(minutes=15)
    assert again.context["until"] == until  # type: ignore[attr-defined]
    assert f"{until:%H:%M} UTC" in locked.content.decode()
    assert 840 < int(locked["Retry-After"]) <= 900


def test_one_persons_lockout_is_not_anothers(alice: User, bob: User, client: Client) -> None:
    for _ in range(5):
        sign_in(client, "wrong")

    answer = client.post(SIGN_IN, {"username": "bob", "password": "correct horse"})

    assert answer["Location"] == reverse("home")


# -- passwords ------------------------------------------------------------------------------


def test_a_forgotten_password_is_chosen_anew_by_mail(alice: User, client: Client) -> None:
    asked = client.post("/password/forgotten/", {"email": "alice@example.org"})
    link = re.search(r"http://testserver(/password/choose/\S+)", str(mail.outbox[0].body))
    assert link is not None
    form = client.get(link[1], follow=True)
    chosen = client.post(
        form.redirect_chain[0][0],
        {"new_password1": "a longer horse", "new_password2": "a longer horse"},
        follow=True,
    )

    assert asked["Location"] == reverse("accounts:password-mailed")
    assert "Your new password is set" in chosen.content.decode()
    assert sign_in(client, "a longer horse")["Location"] == reverse("home")
    assert AuditEvent.objects.get().verb == "changed password of"


def test_an_unknown_address_gets_the_same_answer_and_no_mail(db: None, client: Client) -> None:
    answer = client.post("/password/forgotten/", {"email": "nobody@example.org"}, follow=True)

    assert "If the address belongs to an account" in answer.content.decode()
    assert mail.outbox == []


def test_a_link_that_was_used_says_so(alice: User, client: Client) -> None:
    answer = client.get("/password/choose/MQ/abc-def/")

    assert "This link does not work any more." in answer.content.decode()


def test_a_password_is_changed_by_who_knows_the_old_one(alice: User, client: Client) -> None:
    client.force_login(alice)

    answer = client.post(
        "/password/change/",
        {
            "old_password": "correct horse",
            "new_password1": "a longer horse",
            "new_password2": "a longer horse",
        },
        follow=True,
    )

    assert "Your password is changed." in answer.content.decode()
    alice.refresh_from_db()
    assert alice.check_password("a longer horse")
    assert AuditEvent.objects.get().actor == alice


# -- the profile ----------------------------------------------------------------------------


def test_a_profile_is_changed_and_the_change_noted(alice: User, client: Client) -> None:
    client.force_login(alice)

    client.post(
        "/profile/", {"first_name": "Alice", "last_name": "Lee", "email": "lee@example.org"}
    )

    alice.refresh_from_db()
    assert (alice.label, alice.email) == ("Alice Lee", "lee@example.org")
    assert AuditEvent.objects.get().changes == {
        "last_name": ["", "Lee"],
        "email": ["alice@example.org", "lee@example.org"],
    }


@pytest.mark.parametrize("email", ["nonsense", "a@b"])
def test_a_bad_address_changes_nothing(email: str, alice: User, client: Client) -> None:
    client.force_login(alice)

    answer = client.post("/profile/", {"email": email})

    assert "email" in answer.context["form"].errors
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"


def test_no_link_is_promised_where_no_mail_is_set_up(
    client: Client, alice: User, settings: LazySettings
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"

    page = client.post(reverse("accounts:password-reset"), {"email": alice.email})

    assert "No mail server is set up" in page.content.decode()
