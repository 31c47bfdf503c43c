"""A real Argilla server of our own for the tests marked `argilla`: start it once a file.

@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with running_desk(tmp_path_factory.mktemp("desk")) as desk:
        yield desk
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from pydantic import SecretStr

from evalhub.config import ArgillaConfig, Config, load
from evalhub.desk import Argilla, argilla_of
from tests.processes import Running, bare_environment, free_port

PYTHON = load().argilla.python


class Desk(NamedTuple):
    """`settings` is what settings.ARGILLA is in the processes of such an installation."""

    url: str
    owner_key: str
    ticket_key: str
    process: Running
    settings: Argilla

    def call(self, method: str, path: str, *, key: str = "", **options: Any) -> Any:
        """What the server answers, as the owner or with another key."""
        with self.client(key) as client:
            answer = client.request(method, path, **options)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def client(self, key: str = "") -> httpx.Client:
        headers = {"X-Argilla-Api-Key": key or self.owner_key}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60)


@contextmanager
def running_desk(folder: Path, port: int = 0) -> Iterator[Desk]:
    """The server on the data in a folder, which may have been used before."""
    if not PYTHON.is_file():
        pytest.skip("no environment for the Argilla server: make argilla")
    port = port or free_port()
    data = folder / "data"
    environment = bare_environment(
        data, EVALHUB_ARGILLA_MODE="local", EVALHUB_ARGILLA_PORT=str(port)
    )
    process = Running("argilla", environment=environment, folder=folder)
    try:
        process.wait_for("ready on port")
        yield desk_of(data, port, process)
    finally:
        process.clean_up()


def desk_of(data: Path, port: int, process: Running) -> Desk:
    key = SecretStr((data / "secret_key").read_text().strip())
    argilla = ArgillaConfig(mode="local", port=port)
    settings = argilla_of(Config(data_dir=data, secret_key=key, argilla=argilla))
    assert settings.ticket_key
    return Desk(
        url=settings.url,
        owner_key=settings.owner_key.get_secret_value(),
        ticket_key=settings.ticket_key.get_secret_value(),
        process=process,
        settings=settings,
    )
