"""Whether the parts of this installation are alive, for monitors and for `evalhub up`."""

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps import VERSION
from apps.dashboards.installation import signs

OF_THE_DESK = {"mode", "status", "reachable", "version", "checked_at", "waiting"}


@never_cache
@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """200 with the counts, `degraded` without a worker; 503 when the database fails.

    A labelling desk that is down is said of that part alone: everything else works without it.
    """
    try:
        body = _alive()
    except DatabaseError:
        connection.close()
        return JsonResponse(
            {"status": "failing", "database": "failing", "version": VERSION}, status=503
        )
    return JsonResponse(body)


def _alive() -> dict[str, object]:
    found = signs(timezone.now())
    return {
        "status": "ok" if found.workers.is_up else "degraded",
        "database": "ok",
        "workers": found.workers.machines,
        "queue": found.queue,
        "argilla": found.desk.model_dump(mode="json", include=OF_THE_DESK),
        "version": found.version,
    }
