"""The way in without a password: a ticket from EvalHub becomes a session of the stock pages."""

import json
import secrets
from datetime import UTC, datetime
from html import escape
from uuid import UUID

from argilla_server.contexts import accounts
from argilla_server.database import AsyncSessionLocal
from argilla_server.enums import UserRole
from argilla_server.models import User
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from apps.labeling.members import tickets

PATH = "/evalhub/enter"
HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Argilla</title>
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">"""
REFUSED = f"""{HEAD}<h1>This link has been used, or is too old</h1>
<p>Go back to EvalHub and open the page from there once more.</p></html>"""
# Where the stock pages keep who is signed in (their auth module, strategy "local"). Whoever lures
# others to a ticket of their own would have them label in their name: so somebody else is asked.
ENTER = f"""{HEAD}<main hidden><h1>Are you %(name)s?</h1>
<p>Somebody else may have labelled in this browser before. What you answer from here on
counts as answered by <strong>%(name)s</strong>.</p>
<p><button>Yes, label as %(name)s</button></p>
<p>If that is not you, close this page, and open Argilla from your own page in EvalHub.</p></main>
<script nonce="%(nonce)s">
const last = "evalhub.account", token = "auth._token.local", account = %(account)s;
function enter() {{
  localStorage.setItem("auth.strategy", "local");
  localStorage.setItem(token, %(token)s);
  localStorage.setItem(last, account);
  location.replace(%(path)s);
}}
const before = localStorage.getItem(last);
const someone = before || localStorage.getItem(token)?.startsWith("Bearer ");
if (!someone || before === account) enter();
else {{
  document.querySelector("main").hidden = false;
  document.querySelector("button").addEventListener("click", enter);
}}
</script><noscript>The pages of Argilla need JavaScript.</noscript></html>"""


class Tickets:
    """Each is good once; those from before this process are not, for it cannot know their use."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._begun = datetime.now(UTC)
        self._used: dict[str, float] = {}

    def use(self, text: str, now: datetime) -> tickets.Ticket | None:
        found = tickets.read(text, key=self._key, now=now)
        if not found or found.signed < self._begun.timestamp() or found.nonce in self._used:
            return None
        self._used = {each: end for each, end in self._used.items() if end >= now.timestamp()}
        self._used[found.nonce] = found.expires
        return found


def route(key: str) -> Route:
    register = Tickets(key)

    async def enter(request: Request) -> HTMLResponse:
        ticket = register.use(request.query_params.get("ticket", ""), datetime.now(UTC))
        person = await _person(ticket.account) if ticket else None
        if not ticket or not person:
            return _page(REFUSED, status=403)
        nonce = secrets.token_urlsafe(16)
        values = {
            "nonce": nonce,
            "name": escape(f"{person.first_name} ({person.username})"),
            "account": _script(str(person.id)),
            "token": _script(f"Bearer {accounts.generate_user_token(person)}"),
            "path": _script(ticket.path),
        }
        return _page(ENTER % values, nonce=nonce)

    return Route(PATH, enter, methods=["GET"])


async def _person(account: str) -> User | None:
    """Who gets a session as the stock server gives it for the right password; never the owner."""
    async with AsyncSessionLocal() as db:
        user = await User.get(db, UUID(account))
    return None if user is None or user.role == UserRole.owner else user


def _script(text: str) -> str:
    """A text as JavaScript that no page can be closed with."""
    return json.dumps(text).replace("<", "\\u003c")


def _page(text: str, *, status: int = 200, nonce: str = "") -> HTMLResponse:
    scripts = f"'nonce-{nonce}'" if nonce else "'none'"
    return HTMLResponse(
        text,
        status,
        headers={
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "Content-Security-Policy": f"default-src 'none'; script-src {scripts}",
            "X-Frame-Options": "DENY",
        },
    )
