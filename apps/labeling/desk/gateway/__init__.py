"""Argilla, behind the protocol of `desk`; the only place that knows its client and its API."""

import os
from functools import lru_cache

from django.conf import settings
from django.utils.crypto import salted_hmac

from apps.labeling.desk.protocol import Desk, DeskRefused

from .argilla_desk import ArgillaDesk
from .connection import Connection


def open_desk(within: float | None = None) -> Desk:
    """The server of `settings.ARGILLA`; the connection is made once a process.

    Each call has `within` so many seconds, where that is not left to the connection.
    """
    place = settings.ARGILLA
    if place.mode == "off":
        raise DeskRefused("People label nowhere here: EVALHUB_ARGILLA_MODE is off.")
    if not place.owner_key.get_secret_value():
        raise DeskRefused("EVALHUB_ARGILLA_API_KEY is missing: it is the key of Argilla's owner.")
    proved_by = place.ticket_key.get_secret_value() if place.ticket_key else ""
    connection = _connection(os.getpid(), place.url, place.owner_key.get_secret_value(), proved_by)
    return ArgillaDesk(connection, installation=_installation(), within=within)


@lru_cache(maxsize=1)
def _connection(process: int, url: str, key: str, proved_by: str) -> Connection:
    """Never one that was made before a fork."""
    return Connection.open(url, key, proved_by=proved_by)


def _installation() -> str:
    """What tells our accounts and webhooks from those of another EvalHub on the same server."""
    return salted_hmac("evalhub.argilla.installation", "", algorithm="sha256").hexdigest()
