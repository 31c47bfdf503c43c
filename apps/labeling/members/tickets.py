"""Tickets: EvalHub says who may enter the labelling desk; good once, for a minute, for one page.

By the same key the desk proves that it is EvalHub's own. Standard library only: the embedded server
reads tickets in an environment of its own.
"""

import hmac
import json
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from typing import NamedTuple

LIFETIME_SECONDS = 60
LOCAL = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]*")


class Ticket(NamedTuple):
    account: str
    """Its id at the desk."""
    path: str
    nonce: str
    expires: float
    """Seconds since 1970."""

    @property
    def signed(self) -> float:
        return self.expires - LIFETIME_SECONDS


def ticket(account: str, path: str, *, key: str, now: datetime) -> str:
    """What opens `path` of the desk for that account; safe to stand in an address."""
    if not LOCAL.fullmatch(path):
        raise ValueError(f"{path!r} is not a path of the desk")
    content = Ticket(account, path, secrets.token_urlsafe(16), now.timestamp() + LIFETIME_SECONDS)
    body = urlsafe_b64encode(json.dumps(content).encode()).decode()
    return f"{body}.{_signature(body, key)}"


def read(text: str, *, key: str, now: datetime) -> Ticket | None:
    """The ticket, or None where it is not ours or its time is over; who used one is not known."""
    body, _, signature = text.partition(".")
    if not hmac.compare_digest(signature.encode(), _signature(body, key).encode()):
        return None
    found = Ticket(*json.loads(urlsafe_b64decode(body)))
    return found if found.signed <= now.timestamp() <= found.expires else None


def proof(challenge: str, *, key: str) -> str:
    """What only the two of us answer to a challenge; signs no ticket."""
    return _signature(challenge, f"proof {key}")


def _signature(body: str, key: str) -> str:
    return hmac.new(key.encode(), body.encode(), "sha256").hexdigest()
