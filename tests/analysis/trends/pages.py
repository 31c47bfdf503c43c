"""The pages of trends and boards as people read them."""

import re
from html import unescape
from typing import Any

from django.test import Client

TRENDS = "/w/demo/trends/"
BOARD = "/w/demo/leaderboard/"
FLAKY = "/w/demo/leaderboard/flickering/"


def html_of(client: Client, query: dict[str, Any] | None = None, page: str = BOARD) -> str:
    answer = client.get(page, query)
    assert answer.status_code == 200
    return str(answer.content.decode())


def text_of(client: Client, query: dict[str, Any] | None = None, page: str = BOARD) -> str:
    words = re.sub(r"<[^>]+>", " ", html_of(client, query, page))
    return re.sub(r"\s+", " ", unescape(words))


def trend_of(client: Client, query: dict[str, Any] | None = None) -> str:
    return text_of(client, query, TRENDS)
