"""Alice looks at trends and boards."""

import pytest
from django.test import Client

from apps.accounts.models import User


@pytest.fixture
def client(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client
