import pytest
from django.test import Client

from apps.accounts.models import User
from tests.model_server.handle import model_server, shared_model_server

__all__ = ["model_server", "shared_model_server"]


@pytest.fixture
def as_ada(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


@pytest.fixture
def as_alice(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client
