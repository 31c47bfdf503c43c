"""The locks: current with pyproject.toml, hashed, and without the address of any registry."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).resolve().parent.parent
LOCKS = sorted((CHECKOUT / "requirements").glob("*.txt"))
PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;]+)", re.MULTILINE)
ADDRESS = re.compile(r"https?:|file:|index-url|find-links|trusted-host", re.IGNORECASE)


def _pins(lock: str) -> dict[str, list[str]]:
    """Versions by name; a name may have several, for different platforms."""
    pins: dict[str, list[str]] = {}
    for name, version in PINNED.findall((CHECKOUT / "requirements" / lock).read_text()):
        pins.setdefault(canonicalize_name(name), []).append(version)
    return pins


def _wanted(lock: str) -> list[Requirement]:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    app = project["project"]["dependencies"]
    dev = project["project"]["optional-dependencies"]["dev"]
    groups = {f"{name}.txt": texts for name, texts in project["dependency-groups"].items()}
    texts = {"app.txt": app, "dev.txt": app + dev, **groups}[lock]
    return [Requirement(text) for text in texts]


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_no_lock_holds_an_address(path: Path) -> None:
    text = path.read_text()

    found = ADDRESS.search(text)

    assert found is None


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_every_pinned_package_has_a_hash(path: Path) -> None:
    entries = re.split(r"\n(?=\S)", path.read_text().strip())

    bare = [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry]

    assert entries
    assert bare == []


@pytest.mark.parametrize("lock", ["app.txt", "argilla.txt", "dev.txt", "install.txt"])
def test_every_requirement_is_locked_in_a_version_that_it_allows(lock: str) -> None:
    pins = _pins(lock)

    unmet = [
        str(wanted)
        for wanted in _wanted(lock)
        if not any(
            wanted.specifier.contains(version)
            for version in pins.get(canonicalize_name(wanted.name), [])
        )
    ]

    assert unmet == []


def test_the_development_lock_agrees_with_the_one_of_the_product() -> None:
    app, dev = _pins("app.txt"), _pins("dev.txt")

    differing = {name for name, versions in app.items() if dev.get(name) != versions}

    assert differing == set()
