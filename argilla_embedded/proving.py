"""That this is EvalHub's own server: told to whoever asks, before they tell it any key."""

import re

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from apps.labeling.members import tickets

PATH = "/evalhub/proof"
CHALLENGE = re.compile(r"[0-9a-f]{64}")


def route(key: str) -> Route:
    async def prove(request: Request) -> PlainTextResponse:
        challenge = request.query_params.get("of", "")
        if not CHALLENGE.fullmatch(challenge):
            return PlainTextResponse("of: 64 hexadecimal digits", 400)
        return PlainTextResponse(tickets.proof(challenge, key=key))

    return Route(PATH, prove, methods=["GET"])
