"""The page behind an invitation's link."""

from django.contrib.auth import login
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.accounts import services
from apps.accounts.doors import HtmxRequest, public
from apps.accounts.forms import AcceptForm
from apps.accounts.keys import digest_of
from apps.accounts.models import Invitation, User
from apps.accounts.services.invitations import USED_UP
from apps.web.rendering import render_page

SESSION_BACKEND = "django.contrib.auth.backends.ModelBackend"


@public
def invitation(request: HtmxRequest, secret: str) -> HttpResponse:
    invitations = Invitation.objects.open(timezone.now()).select_related("workspace", "invited_by")
    found = invitations.filter(digest=digest_of(secret)).first()
    if found is None:
        title = "This invitation is over"
        return render_page(request, "accounts/told.html", status=410, title=title, text=USED_UP)
    form = AcceptForm(request.POST or None)
    if request.method == "POST":
        try:
            if _accepted(request, found, form):
                return redirect("dashboards:overview", slug=found.workspace.slug)
        except ValidationError as error:
            form.add_error(None, error)
    return render_page(request, "accounts/invitation.html", invitation=found, form=form)


def _accepted(request: HtmxRequest, found: Invitation, form: AcceptForm) -> bool:
    if isinstance(request.user, User):
        services.accept_invitation(
            invitation=found,
            user=request.user,
            now=timezone.now(),
            request_id=request.request_id,
        )
        return True
    if not form.is_valid():
        return False
    person = services.accept_as_new_person(
        invitation=found, now=timezone.now(), request_id=request.request_id, **form.cleaned_data
    )
    login(request, person, backend=SESSION_BACKEND)
    return True
