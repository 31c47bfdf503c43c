"""The labelling desk as processes: it starts, keeps what it was told, and leaves nobody behind."""

import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.desk import Desk, running_desk
from tests.processes import START_SECONDS, alive, command_of, free_port, wait_until

from .queue import Queue

pytestmark = [pytest.mark.argilla, pytest.mark.kill]


@pytest.fixture
def own_desk(tmp_path: Path) -> Iterator[Desk]:
    """A server for one test, which ends it."""
    with running_desk(tmp_path) as desk:
        yield desk


def _part(desk: Desk, name: str) -> psutil.Process:
    """The oldest process of redis, web or worker."""
    if name == "redis":
        return next(each for each in desk.process.tree() if "redis-server" in command_of(each)[0])
    return desk.process.find("argilla_embedded", *([name] if name != "all" else []))[0]


def _answers(desk: Desk) -> bool:
    try:
        return httpx.get(f"{desk.url}/api/v1/status", timeout=10).is_success
    except httpx.TransportError:
        return False


def test_it_is_a_stock_server_with_our_search_engine(desk: Desk) -> None:
    status = desk.call("GET", "/api/v1/status")

    assert status["version"] == "2.8.0"
    assert status["search_engine"]["name"] == "embedded"


def test_its_only_account_is_the_owner_with_the_key_of_the_installation(desk: Desk) -> None:
    accounts = desk.call("GET", "/api/v1/users")["items"]

    assert [(each["username"], each["role"]) for each in accounts] == [("evalhub", "owner")]
    assert desk.call("GET", "/api/v1/me")["username"] == "evalhub"


def test_nobody_gets_in_with_the_stock_credentials(desk: Desk) -> None:
    stock = {"username": "argilla", "password": "1234"}
    answer = httpx.post(f"{desk.url}/api/v1/token", data=stock, timeout=60)
    with desk.client(key="argilla.apikey") as client:
        me = client.get("/api/v1/me")

    assert (answer.status_code, me.status_code) == (401, 401)


def test_nobody_can_make_an_account_for_themselves(desk: Desk) -> None:
    account = {"first_name": "C", "username": "charlie", "password": "correct horse"}
    made = httpx.post(f"{desk.url}/api/v1/users", json=account, timeout=60)
    others = httpx.get(f"{desk.url}/api/v1/oauth2/providers", timeout=60).json()

    assert made.status_code == 401
    assert others == {"items": []}


def test_its_secrets_are_in_no_log_no_argument_and_no_file_that_others_may_read(
    desk: Desk,
) -> None:
    secrets = {desk.owner_key, desk.ticket_key}
    home = Path(desk.process.process.environ()["EVALHUB_DATA_DIR"])

    arguments = {word for each in desk.process.tree() for word in command_of(each)}

    assert not any(secret in desk.process.output for secret in secrets)
    assert not secrets & arguments
    assert stat.S_IMODE((home / "argilla").stat().st_mode) == 0o700
    outside = [path for path in home.iterdir() if path.is_file()]
    assert outside
    assert not any(secret in path.read_text() for path in outside for secret in secrets)


def test_it_does_not_know_what_is_secret_to_evalhub(desk: Desk) -> None:
    server = _part(desk, "web").environ()

    ours = {name for name in server if name.startswith("EVALHUB_")}

    assert ours == set()


def test_its_jobs_are_open_to_nobody_else(desk: Desk) -> None:
    redis = _part(desk, "redis")
    socket = Path(" ".join(command_of(redis)).partition("unixsocket:")[2].strip())

    ports = redis.net_connections("inet")

    assert ports == []
    assert stat.S_IMODE(socket.stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["redis", "web", "worker"])
def test_a_part_that_is_killed_is_back_with_the_others(desk: Desk, name: str) -> None:
    wait_until(lambda: _answers(desk), START_SECONDS)
    killed = _part(desk, name)
    others = {_part(desk, each) for each in ("redis", "web", "worker")}

    killed.kill()

    wait_until(lambda: not any(alive(each) for each in others), START_SECONDS)
    wait_until(lambda: _answers(desk), START_SECONDS)
    wait_until(lambda: f"{name} ended, so everything does" in desk.process.output, 10)
    assert desk.call("GET", "/api/v1/me")["username"] == "evalhub"


def test_it_stops_and_leaves_nobody(own_desk: Desk) -> None:
    assert own_desk.process.end(signal.SIGTERM) == 0
    assert own_desk.process.left_behind() == []


@pytest.mark.parametrize("who", ["whoever started it", "the server itself"])
def test_kill_9_leaves_nobody(own_desk: Desk, who: str) -> None:
    server = _part(own_desk, "all")
    parts = {server, *server.children(recursive=True)}

    own_desk.process.end(signal.SIGKILL) if who == "whoever started it" else server.kill()

    wait_until(lambda: not any(alive(each) for each in parts), START_SECONDS)
    assert len(parts) >= 4


def test_a_second_start_goes_on_with_the_same_data_and_keys(tmp_path: Path) -> None:
    port = free_port()
    with running_desk(tmp_path, port) as first:
        queue = Queue(first)
        (record,) = queue.put({"external_id": "kept", "fields": {"query": "?"}})
        queue.answer(queue.person("alice"), record)
        first.process.end(signal.SIGKILL)
        assert first.process.left_behind() == []

    with running_desk(tmp_path, port) as second:
        found = second.call("GET", f"/api/v1/records/{record}")

    assert (second.url, second.owner_key) == (first.url, first.owner_key)
    assert found["external_id"] == "kept"
    assert found["status"] == "completed"
