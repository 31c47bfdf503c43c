"""The cast and the settings that every test shares."""

from pathlib import Path

import hypothesis
import pytest
from django.conf import LazySettings

from apps.accounts.models import Membership, User, Workspace
from apps.accounts.permissions import Role

pytest_plugins = ["tests.browser"]


# A machine that is busy is slow, not wrong.
hypothesis.settings.register_profile("evalhub", deadline=None)
hypothesis.settings.load_profile("evalhub")


@pytest.fixture(autouse=True)
def quick_and_local(settings: LazySettings, tmp_path: Path) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.FILES_DIR = tmp_path / "files"


@pytest.fixture
def workspace(db: None) -> Workspace:
    return Workspace.objects.create(slug="demo", name="Demo")


def _member(workspace: Workspace, name: str, role: Role) -> User:
    user = User.objects.create_user(name.lower(), f"{name.lower()}@example.org", "correct horse")
    user.first_name = name
    user.save(update_fields=["first_name"])
    Membership.objects.create(workspace=workspace, user=user, role=role)
    return user


@pytest.fixture
def alice(workspace: Workspace) -> User:
    return _member(workspace, "Alice", Role.LEAD)


@pytest.fixture
def bob(workspace: Workspace) -> User:
    return _member(workspace, "Bob", Role.REVIEWER)


@pytest.fixture
def ada(workspace: Workspace) -> User:
    return _member(workspace, "Ada", Role.ADMIN)


@pytest.fixture
def charlie(db: None) -> User:
    """A stranger: member of a workspace of his own only."""
    elsewhere = Workspace.objects.create(slug="elsewhere", name="Elsewhere")
    return _member(elsewhere, "Charlie", Role.ADMIN)
