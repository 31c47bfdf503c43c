"""Who looks at grading contracts."""

import pytest
from django.test import Client

from apps.accounts.models import User


@pytest.fixture
def as_alice(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client
