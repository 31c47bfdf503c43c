"""What leads do to a campaign: each POST makes one call and says what came of it."""

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import User, Workspace
from apps.accounts.permissions import Permission
from apps.contract import Contract
from apps.labeling.desk import desks
from apps.labeling.forms import PeopleForm
from apps.labeling.making import control
from apps.labeling.models import Campaign
from apps.labeling.progress import campaigns
from apps.web.rendering import render_page


class Offered(Contract):
    """Which buttons the page of a campaign shows."""

    sync: bool
    people: bool
    retry: bool
    close: bool
    reopen: bool
    archive: bool
    restore: bool


def offered(campaign: Campaign) -> Offered:
    state = campaign.state
    asks = campaign.kind == Campaign.Kind.DESK and campaign.archived_at is None
    return Offered(
        sync=asks and state == Campaign.State.OPEN and desks.people_label(),
        people=asks and state != Campaign.State.CLOSED,
        retry=asks and state == Campaign.State.FAILED,
        close=asks and state in control.CLOSABLE,
        reopen=asks and state == Campaign.State.CLOSED,
        archive=campaign.archived_at is None and state in control.ENDED,
        restore=campaign.archived_at is not None,
    )


Change = Callable[[WorkspaceRequest, Campaign], object]


def _button(action: str, change: Change, done: str) -> Callable[..., HttpResponseBase]:
    """The view behind one button: the change, then what was done, or why it was not."""

    def press(request: WorkspaceRequest, workspace: Workspace, campaign_id: str) -> HttpResponse:
        campaign = _fetched(request, workspace, campaign_id)
        try:
            change(request, campaign)
        except ValidationError as error:
            messages.error(request, error.messages[0])
        else:
            messages.success(request, done)
        return _to(campaign)

    press.__name__ = press.__qualname__ = action  # what a trace of the request calls it
    return door(POST=Permission.MANAGE_CAMPAIGNS)(press)


close = _button(
    "close",
    lambda request, found: control.close(found, by=request.user, now=timezone.now()),
    "Closed: nobody is asked any more; what was said is read once more.",
)
reopen = _button(
    "reopen",
    lambda request, found: control.reopen(found, by=request.user),
    "Reopened: people can answer again.",
)
retry = _button(
    "retry",
    lambda request, found: control.try_again(found, by=request.user),
    "Trying again: what is in Argilla already stays.",
)
sync = _button(
    "sync",
    lambda request, found: control.sync(found),
    "Answers are being read from Argilla.",
)
archive = _button(
    "archive",
    lambda request, found: control.archive(found, by=request.user, now=timezone.now()),
    "Archived: the campaign left the list and can be restored.",
)
restore = _button(
    "restore",
    lambda request, found: control.restore(found, by=request.user),
    "Restored: the campaign is in the list again.",
)


@door(Permission.MANAGE_CAMPAIGNS)
def people(request: WorkspaceRequest, workspace: Workspace, campaign_id: str) -> HttpResponse:
    """Whoever loses their place is named first; only the second press takes it away."""
    campaign = _fetched(request, workspace, campaign_id)
    form, leaving = _people_form(request, campaign), []
    if form.is_bound and form.is_valid():
        leaving = _leaving(campaign, form.cleaned_data["people"])
        if (not leaving or "confirmed" in request.POST) and _changed(request, campaign, form):
            messages.success(request, "Changed: Argilla lets in exactly these people.")
            return _to(campaign)
    return render_page(
        request,
        "labeling/campaign_people.html",
        campaign=campaign,
        tab="overview",
        form=form,
        leaving=leaving,
    )


def _people_form(request: WorkspaceRequest, campaign: Campaign) -> PeopleForm:
    if request.method == "POST":
        return PeopleForm(request.POST, workspace=campaign.workspace)
    rows = list(campaign.assignments.values_list("user", "settles"))
    initial = {
        "people": [str(user) for user, _settles in rows],
        "settlers": [str(user) for user, settles in rows if settles],
    }
    return PeopleForm(initial=initial, workspace=campaign.workspace)


def _leaving(campaign: Campaign, people: list[User]) -> list[str]:
    gone = campaign.assignments.exclude(user__in=people).select_related("user")
    return [each.user.label for each in gone]


def _changed(request: WorkspaceRequest, campaign: Campaign, form: PeopleForm) -> bool:
    try:
        control.change_people(
            campaign, form.cleaned_data["people"], form.cleaned_data["settlers"], by=request.user
        )
    except ValidationError as error:
        form.add_error("people", error.messages[0])
        return False
    return True


def _fetched(request: WorkspaceRequest, workspace: Workspace, campaign_id: str) -> Campaign:
    found: Campaign = get_object_or_404(campaigns(request.user, workspace), pk=campaign_id)
    return found


def _to(campaign: Campaign) -> HttpResponse:
    return redirect("labeling:campaign", slug=campaign.workspace.slug, campaign_id=campaign.pk)
