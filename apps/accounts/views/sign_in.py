"""Signing in and out, lockout, and passwords: Django's own views with our words."""

from datetime import datetime
from typing import Any

from axes.helpers import get_cool_off
from axes.models import AccessAttempt
from django.contrib import messages
from django.contrib.auth import views as django_views
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, SetPasswordForm
from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse_lazy
from django.utils import timezone

from apps.accounts import mail, services
from apps.accounts.models import User
from apps.web.rendering import render_page

FORM = "accounts/form.html"
TOLD = "accounts/told.html"
NO_MAIL = "No link can be mailed from here"
ASK_ADMIN = (
    "No mail server is set up. Ask whoever runs this installation for a new password: "
    "`evalhub changepassword NAME` sets one."
)


class SignIn(django_views.LoginView):
    template_name = "accounts/sign_in.html"
    authentication_form = AuthenticationForm
    redirect_authenticated_user = True


class SignOut(django_views.LogoutView):
    http_method_names = ["post"]


class ForgotPassword(django_views.PasswordResetView):
    template_name = FORM
    email_template_name = "accounts/password_mail.txt"
    subject_template_name = "accounts/password_mail_subject.txt"
    success_url = reverse_lazy("accounts:password-mailed")
    extra_context = {
        "title": "Forgotten password",
        "lead": "Give the e-mail address of your account: we send a link to choose a new password.",
        "action": "Send the link",
    }

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not mail.is_set_up():
            return render_page(request, TOLD, title=NO_MAIL, text=ASK_ADMIN)
        return super().dispatch(request, *args, **kwargs)


class ChooseNewPassword(django_views.PasswordResetConfirmView):
    template_name = "accounts/choose_password.html"
    success_url = reverse_lazy("accounts:password-chosen")

    def form_valid(self, form: "SetPasswordForm[User]") -> HttpResponse:
        answer = super().form_valid(form)
        _note_password(self.request, form.user)
        return answer


class ChangePassword(django_views.PasswordChangeView):
    template_name = FORM
    success_url = reverse_lazy("accounts:profile")
    extra_context = {
        "title": "Change password",
        "lead": "Other browsers in which you are signed in are signed out.",
        "action": "Change password",
    }

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        answer = super().form_valid(form)
        _note_password(self.request, form.user)
        messages.success(self.request, "Your password is changed.")
        return answer


def password_mailed(request: HttpRequest) -> HttpResponse:
    return render_page(
        request,
        TOLD,
        title="Look into your mail",
        text="If the address belongs to an account, a link to choose a new password is on its way.",
    )


def password_chosen(request: HttpRequest) -> HttpResponse:
    return render_page(
        request,
        TOLD,
        title="Your new password is set",
        text="Sign in with it from now on.",
        sign_in=True,
    )


def locked_out(
    request: HttpRequest, response: HttpResponse | None, credentials: dict[str, Any] | None
) -> HttpResponse:
    """What django-axes shows after too many wrong passwords."""
    until = _locked_until(request, (credentials or {}).get("username", ""))
    page = render_page(request, "accounts/locked_out.html", status=429, until=until)
    page["Retry-After"] = str(max(1, round((until - timezone.now()).total_seconds())))
    return page


def _locked_until(request: HttpRequest, username: str) -> datetime:
    address = getattr(request, "axes_ip_address", None)
    attempts = AccessAttempt.objects.filter(username=username, ip_address=address)
    last: datetime | None = attempts.aggregate(last=Max("attempt_time"))["last"]
    until: datetime = (last or timezone.now()) + get_cool_off(request)
    return until


def _note_password(request: HttpRequest, user: User) -> None:
    request_id: str = getattr(request, "request_id", "")
    services.record(
        workspace=None, actor=user, verb="changed password of", obj=user, request_id=request_id
    )
