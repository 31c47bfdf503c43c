"""Whether the parts of this installation are alive, for monitors and for `evalhub up`."""

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_q.models import OrmQ

from apps import VERSION
from apps.jobs import services


@never_cache
@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """200 with the counts, `degraded` without a worker; 503 when the database fails."""
    try:
        body = _alive()
    except DatabaseError:
        connection.close()
        return JsonResponse(
            {"status": "failing", "database": "failing", "version": VERSION}, status=503
        )
    return JsonResponse(body)


def _alive() -> dict[str, object]:
    workers = services.alive("worker", timezone.now())
    return {
        "status": "ok" if workers else "degraded",
        "database": "ok",
        "workers": workers,
        "queue": OrmQ.objects.count(),
        "version": VERSION,
    }
