"""Where Argilla says that something was answered."""

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from apps.accounts.doors import public
from apps.labeling.desk import webhooks


@public
@csrf_exempt
@require_POST
def webhook(request: HttpRequest) -> HttpResponse:
    """Open to everybody, heard from our desk alone: 401 and nothing else for all others."""
    try:
        body = request.body
    except RequestDataTooBig:
        return HttpResponse(status=413)
    told = webhooks.verified(body, request.headers)
    if told is None:
        return HttpResponse(status=401)
    webhooks.nudge(told, timezone.now())
    return HttpResponse(status=204)
