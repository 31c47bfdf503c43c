"""The page of planning as people read it."""

from urllib.parse import urlencode

from django.test import Client
from django.urls import reverse

from tests.runs.pages import words_of


def planned(client: Client, status: int = 200, **query: object) -> str:
    answer = client.get(f"{reverse('analysis:planning', args=['demo'])}?{urlencode(query)}")
    assert answer.status_code == status
    return words_of(answer.content.decode())
