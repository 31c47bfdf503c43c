"""What the pages may load and run: theirs only, for the texts to label are anybody's."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import argilla_server
from starlette.datastructures import MutableHeaders

PAGES = Path(argilla_server.__file__).parent / "static"
BASE = "@@baseUrl@@"  # what the server replaces by the path that it is served under: none
INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
POLICY = (
    "default-src 'self'; script-src 'self' {scripts}; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; object-src 'none'; base-uri 'self'; "
    "frame-ancestors 'none'"
)


class OwnPagesOnly:
    """Adds the policy to every answer that does not bring its own."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._headers = {
            "Content-Security-Policy": POLICY.format(scripts=" ".join(sorted(_scripts()))),
            "Referrer-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
        }

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def send_with_policy(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_policy)


def _scripts() -> set[str]:
    """The scripts that stand in the stock pages as they are served, as a policy names them."""
    pages = [page.read_text().replace(BASE, "") for page in PAGES.rglob("*.html")]
    inline = {text.encode() for page in pages for text in INLINE.findall(page)}
    return {f"'sha256-{b64encode(sha256(text).digest()).decode()}'" for text in inline}
