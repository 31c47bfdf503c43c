"""The page of who is told of a gate's decisions; for admins."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.analysis.forms.webhooks import WebhookForm
from apps.analysis.gates.messages import addresses as services
from apps.analysis.gates.messages.told import deliveries_of, messages_of, told_by
from apps.analysis.models import GateWebhook
from apps.metrics.gating.words import counted
from apps.web.paging import keyset
from apps.web.rendering import render_page

SHOWN = 25


@door(Permission.MANAGE_WEBHOOKS)
def webhooks(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            services.add_webhook(
                workspace=workspace,
                **form.cleaned_data,
                by=request.user,
                request_id=request.request_id,
            )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, "Added. It is told of each decision from now on.")
            return redirect("analysis:gate-webhooks", workspace.slug)
    return _page(request, workspace, form)


@door(POST=Permission.MANAGE_WEBHOOKS)
def retire(request: WorkspaceRequest, workspace: Workspace, webhook_id: str) -> HttpResponse:
    services.retire_webhook(
        webhook=_webhook(request, workspace, webhook_id),
        by=request.user,
        now=timezone.now(),
        request_id=request.request_id,
    )
    messages.success(request, "Retired. It is told no more; what it was told stays listed.")
    return redirect("analysis:gate-webhooks", workspace.slug)


@door(POST=Permission.MANAGE_WEBHOOKS)
def send_again(request: WorkspaceRequest, workspace: Workspace, delivery_id: str) -> HttpResponse:
    delivery = get_object_or_404(deliveries_of(request.user, workspace), pk=delivery_id)
    again = services.send_again(delivery=delivery, by=request.user, request_id=request.request_id)
    if again:
        messages.success(request, "The message is sent again soon, with the same id.")
    else:
        messages.info(request, "Nothing to send: the message was not given up.")
    return redirect("analysis:gate-webhooks", workspace.slug)


@door(POST=Permission.MANAGE_WEBHOOKS)
def send_all_again(
    request: WorkspaceRequest, workspace: Workspace, webhook_id: str
) -> HttpResponse:
    count = services.send_all_again(
        _webhook(request, workspace, webhook_id),
        deliveries_of(request.user, workspace),
        by=request.user,
        request_id=request.request_id,
    )
    if count:
        which = counted(count, "message is", "messages are")
        messages.success(request, f"{which} sent again soon, with the same ids.")
    else:
        messages.info(request, "Nothing to send: no message was given up.")
    return redirect("analysis:gate-webhooks", workspace.slug)


def _webhook(request: WorkspaceRequest, workspace: Workspace, webhook_id: str) -> GateWebhook:
    visible = GateWebhook.objects.visible_to(request.user).filter(workspace=workspace)
    return get_object_or_404(visible, pk=webhook_id)


def _page(request: WorkspaceRequest, workspace: Workspace, form: WebhookForm) -> HttpResponse:
    rows = deliveries_of(request.user, workspace)
    page = keyset(rows, ("-pk",), request.GET.get("cursor"), SHOWN)
    sent = messages_of(page.items)
    return render_page(
        request,
        "analysis/gate_webhooks.html",
        fragment="gate_messages",
        status=422 if form.errors else 200,
        tab="gates",
        form=form,
        told=told_by(request.user, workspace),
        has_address=bool(settings.BASE_URL),
        page=page,
        sent=sent,
        under_way=any(each.delivery.is_open for each in sent),
    )
