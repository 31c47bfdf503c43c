import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.targets import services

from .asking import spec


@pytest.fixture
def operator(client: Client, ada: User) -> Client:
    ada.is_staff = ada.is_superuser = True
    ada.save()
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_the_admin_shows_targets_and_changes_none(operator: Client, workspace: Workspace) -> None:
    target = services.create_target(workspace=workspace, name="gpt", spec=spec("scripted"), by=None)

    listing = operator.get(reverse("admin:targets_target_changelist"))
    page = operator.get(reverse("admin:targets_target_change", args=[target.pk]))
    adding = operator.get(reverse("admin:targets_target_add"))

    assert "gpt" in listing.content.decode()
    assert target.current.spec_sha256 in page.content.decode()
    assert adding.status_code == 403
