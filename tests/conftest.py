"""The cast and the settings that every test shares."""

from pathlib import Path

import hypothesis
import pytest
from _pytest.nodeid import coerce_node_id
from django.conf import LazySettings
from django.core.cache import cache
from hypothesis.internal.conjecture import providers

from apps.accounts.models import Membership, User, Workspace
from apps.accounts.permissions import Role
from evalhub.desk import Argilla
from tests.shared_connection import one_thread_at_a_time

pytest_plugins = ["tests.browser"]


# A machine that is busy is slow, not wrong; one commit has one answer, `make fuzz` looks further.
hypothesis.settings.register_profile("fuzz", deadline=None, max_examples=300)
hypothesis.settings.register_profile("same", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("same")

one_thread_at_a_time()


def pytest_configure(config: pytest.Config) -> None:
    """Hypothesis also draws from the literals of what this process has imported: by chance."""
    if config.getoption("--hypothesis-profile") != "fuzz":
        providers._get_local_constants = lambda: providers._local_constants


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Schemathesis tells its tests apart by name alone; xdist would run one id once."""
    for item in items:
        if item.parent and not item.nodeid.endswith(item.name):
            item._id = coerce_node_id(f"{item.parent.nodeid}::{item.name}")
    _the_longest_first(items)


def _the_longest_first(items: list[pytest.Item]) -> None:
    """Files with real processes begin, so that none of them is what everybody waits for."""
    long = {item.path for item in items if any(map(item.get_closest_marker, ("kill", "argilla")))}
    items.sort(key=lambda item: item.path not in long)


@pytest.fixture(autouse=True)
def quick_and_local(settings: LazySettings, tmp_path: Path) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.FILES_DIR = tmp_path / "files"
    settings.ARGILLA = Argilla(mode="off")
    cache.clear()  # what one test asked counts towards no other's requests a minute


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
