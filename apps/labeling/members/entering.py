"""The way from a page of ours to the desk: its address as people reach it, and the ticket."""

from datetime import datetime
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpResponse

from apps.labeling.models import DeskAccount

from .tickets import ticket

HOME = "/"


def address_for(host: str) -> str:
    """Where people reach the desk who reach us as `host` (with a port perhaps); no slash."""
    place = settings.ARGILLA
    if place.mode == "off" or place.public_url:
        return str(place.public_url)
    name = urlsplit(f"//{host}").hostname or ""
    return f"http://{f'[{name}]' if ':' in name else name}:{place.port}"


def allow_forms_to_lead_there(response: HttpResponse, host: str) -> HttpResponse:
    """A browser holds our policy against where a form is sent on to as well."""
    place = urlsplit(address_for(host))
    if place.netloc:
        origin = f"{place.scheme}://{place.netloc}"
        response._csp_update = {"form-action": [origin]}  # type: ignore[attr-defined]
    return response


def page_of(dataset_id: str, *, status: str = "pending") -> str:
    """The path of the page where a dataset is answered; `submitted` shows what one has answered."""
    return f"/dataset/{dataset_id}/annotation-mode?{urlencode({'status': status})}"


def takes_tickets() -> bool:
    """Whether our own server is behind it, which signs people in by their ticket."""
    return settings.ARGILLA.ticket_key is not None


def way_in(account: DeskAccount, path: str, *, host: str, now: datetime) -> str:
    """The address that signs them in and opens the page: good once, for a minute."""
    key = settings.ARGILLA.ticket_key
    if key is None:
        raise ValueError("a desk that is not ours takes no tickets")
    text = ticket(account.argilla_id, path, key=key.get_secret_value(), now=now)
    return f"{address_for(host)}/evalhub/enter?{urlencode({'ticket': text})}"
