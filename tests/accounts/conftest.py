"""What the tests of people share."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from apps.accounts import services
from apps.accounts.models import User, Workspace
from apps.accounts.services.tokens import NewToken

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def alices_token(workspace: Workspace, alice: User) -> NewToken:
    return services.create_token(
        user=alice,
        workspace=workspace,
        name="nightly",
        lifetime=timedelta(days=30),
        now=datetime.now(UTC),
        actor=alice,
    )


@pytest.fixture
def as_ada(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client
