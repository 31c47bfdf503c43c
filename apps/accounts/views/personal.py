"""Pages of one person, outside any workspace."""

from django.contrib import messages
from django.forms import model_to_dict
from django.http import HttpResponse
from django.shortcuts import redirect

from apps.accounts import queries, services
from apps.accounts.doors import LAST_WORKSPACE, MemberRequest, signed_in
from apps.accounts.forms import ProfileForm
from apps.web.rendering import render_page


@signed_in
def home(request: MemberRequest) -> HttpResponse:
    """To the overview of the workspace they were in last."""
    last = request.session.get(LAST_WORKSPACE, "")
    workspace = queries.workspace_to_open(request.user, last)
    if workspace is None:
        return render_page(request, "accounts/no_workspace.html")
    return redirect("dashboards:overview", slug=workspace.slug)


@signed_in
def profile(request: MemberRequest) -> HttpResponse:
    form = ProfileForm(request.POST or None, initial=model_to_dict(request.user))
    if request.method == "POST" and form.is_valid():
        services.update_profile(
            user=request.user, values=form.cleaned_data, request_id=request.request_id
        )
        messages.success(request, "Your profile is saved.")
        return redirect("accounts:profile")
    memberships = request.user.memberships.select_related("workspace")
    return render_page(request, "accounts/profile.html", form=form, memberships=memberships)
