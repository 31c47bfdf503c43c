"""Pages of gates as a browser asks for them."""

from typing import Any

from django.http import HttpResponse
from django.test import Client

HOSTILE = '<script>alert("x")</script>'


def page_of(client: Client, path: str = "", **query: str) -> HttpResponse:
    answer: HttpResponse = client.get(f"/w/demo/gates/{path}", query)
    return answer


def text_of(client: Client, path: str = "", **query: str) -> str:
    answer = page_of(client, path, **query)
    assert answer.status_code == 200
    return answer.content.decode()


def sent(client: Client, path: str, **fields: Any) -> HttpResponse:
    answer: HttpResponse = client.post(f"/w/demo/gates/{path}", fields)
    return answer
