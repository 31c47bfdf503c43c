"""`/health`: for monitors, without signing in."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from django_q.models import OrmQ

from apps import VERSION
from apps.jobs import services
from apps.jobs.models import Heartbeat

pytestmark = pytest.mark.django_db


def _unavailable(*_: Any) -> Any:
    raise OperationalError("the server closed the connection")


def test_it_counts_workers_and_waiting_messages(client: Client) -> None:
    services.beat("worker", 2)
    OrmQ.objects.create(key="evalhub", payload="", lock=timezone.now())

    answer = client.get("/health")

    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "database": "ok",
        "workers": 1,
        "queue": 1,
        "argilla": {
            "mode": "off",
            "status": "off",
            "reachable": None,
            "version": "",
            "checked_at": None,
            "waiting": 0,
        },
        "version": VERSION,
    }


def test_a_worker_not_seen_for_a_while_does_not_count(client: Client) -> None:
    services.beat("worker", 2)
    Heartbeat.objects.update(seen_at=timezone.now() - timedelta(seconds=20))

    answer = client.get("/health")

    assert answer.status_code == 200
    assert answer.json()["status"] == "degraded"
    assert answer.json()["workers"] == 0


def test_a_failing_database_is_a_503(client: Client) -> None:
    with connection.execute_wrapper(_unavailable):
        answer = client.get("/health")

    assert answer.status_code == 503
    assert answer.json()["status"] == "failing"


def test_it_is_never_cached_and_only_read(client: Client) -> None:
    answer = client.get("/health")

    assert "no-store" in answer["cache-control"]
    assert client.post("/health").status_code == 405
