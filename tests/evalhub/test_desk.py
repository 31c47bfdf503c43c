"""What EvalHub knows of the labelling desk, and how it starts its own."""

import socket
from pathlib import Path

import pytest
from pydantic import HttpUrl, SecretStr

from apps.jobs.locks import LockedFile
from evalhub.config import ArgillaConfig, Config
from evalhub.desk import argilla_of, port_of, server_of
from tests.processes import free_port, wait_until

from .conftest import Evalhub


def _config(data: Path, **argilla: object) -> Config:
    return Config(data_dir=data, argilla=ArgillaConfig.model_validate(argilla))


def _started(config: Config) -> list[str]:
    """What is said when our own server is made ready."""
    said: list[str] = []
    server = server_of(config, say=said.append, on_line=said.append)
    assert server
    return said


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """Stands for the interpreter, which is not started here."""
    path = tmp_path / "python"
    path.touch()
    return path


def test_a_local_desk_has_keys_that_stay_and_of_which_none_is_another(tmp_path: Path) -> None:
    first, again = (argilla_of(_config(tmp_path)) for _ in range(2))

    assert first == again
    assert first.ticket_key
    assert first.owner_key != first.ticket_key
    assert (first.url, first.public_url) == ("http://127.0.0.1:6900", "")


def test_another_installation_has_other_keys(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()

    keys = {argilla_of(_config(data)).owner_key for data in (tmp_path, tmp_path / "other")}

    assert len(keys) == 2


def test_no_key_is_shown_by_accident(tmp_path: Path) -> None:
    argilla = argilla_of(_config(tmp_path))

    assert argilla.owner_key.get_secret_value() not in repr(argilla)


def test_a_hosted_desk_is_where_and_with_the_key_that_was_given(tmp_path: Path) -> None:
    url = HttpUrl("https://labels.example.org/team")
    config = _config(tmp_path, mode="hosted", url=url, api_key=SecretStr("given"))

    argilla = argilla_of(config)

    assert argilla.url == argilla.public_url == "https://labels.example.org/team"
    assert argilla.owner_key.get_secret_value() == "given"
    assert argilla.ticket_key is None
    assert server_of(config, say=print, on_line=print) is None


def test_behind_a_proxy_people_reach_the_desk_elsewhere(tmp_path: Path) -> None:
    there = {"public_url": "https://labels.example.org"}
    local = argilla_of(_config(tmp_path, **there))
    hosted = argilla_of(_config(tmp_path, mode="hosted", url="http://in:1", api_key="k", **there))

    assert local.url == "http://127.0.0.1:6900"
    assert hosted.url == "http://in:1"
    assert local.public_url == hosted.public_url == "https://labels.example.org"


def test_our_own_server_tells_us_on_this_machine_and_any_other_where_people_reach_us(
    tmp_path: Path,
) -> None:
    hosted = {"mode": "hosted", "url": "http://in:1", "api_key": "k"}
    people = {"base_url": HttpUrl("https://evalhub.example.org")}
    elsewhere = {"callback_url": HttpUrl("http://web:8000")}

    told = [
        argilla_of(_config(tmp_path).model_copy(update=people)),
        argilla_of(_config(tmp_path, **hosted).model_copy(update=people)),
        argilla_of(_config(tmp_path, **hosted)),
        argilla_of(_config(tmp_path, **hosted, **elsewhere)),
    ]

    assert [each.webhook_url for each in told] == [
        "http://127.0.0.1:8000/desk/webhook",
        "https://evalhub.example.org/desk/webhook",
        "http://127.0.0.1:8000/desk/webhook",
        "http://web:8000/desk/webhook",
    ]


def test_without_its_environment_the_desk_is_left_out_with_a_sentence(tmp_path: Path) -> None:
    said: list[str] = []
    config = _config(tmp_path, python=tmp_path / "nowhere")

    server = server_of(config, say=said.append, on_line=said.append)

    assert server is None
    assert len(said) == 1
    assert "make argilla" in said[0]
    assert "EVALHUB_ARGILLA_MODE=off" in said[0]


def test_two_processes_do_not_run_the_desk_of_one_installation(
    tmp_path: Path, python: Path
) -> None:
    said: list[str] = []
    config = _config(tmp_path, python=python)
    lock = LockedFile(config.data_dir / "argilla.lock")

    server = server_of(config, say=said.append, on_line=said.append)

    assert lock.read() == ""
    assert server is None
    assert said == [f"Another process runs the Argilla server of {tmp_path} already."]


def test_where_the_port_is_taken_one_near_it_is_used_and_kept(tmp_path: Path, python: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        asked = taken.getsockname()[1]
        config = _config(tmp_path, python=python, port=asked)
        said = _started(config)
    chosen = port_of(config)

    later = _started(config)

    assert chosen > asked
    assert said == [f"Port {asked} is taken, so people label on port {chosen}."]
    assert argilla_of(config).port == chosen
    assert (later, port_of(config)) == (said, chosen)


def test_a_server_whose_port_is_taken_waits_for_it_and_says_so_once(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexec sleep 60\n")
    python.chmod(0o700)
    config, said = _config(tmp_path, python=python, port=free_port()), list[str]()
    server = server_of(config, say=said.append, on_line=said.append)
    assert server

    def tended() -> bool:
        server.tend()
        return server.running

    with socket.create_server(("127.0.0.1", config.argilla.port)):
        assert not tended()
        server.start()
        assert not server.running
    try:
        wait_until(tended, 30)
    finally:
        server.end()

    assert said == [
        f"People cannot label for now: something else listens on port {config.argilla.port}. "
        "End it, and Argilla starts by itself; or choose another port with EVALHUB_ARGILLA_PORT "
        "and start again."
    ]


def test_another_port_that_is_asked_for_is_used(tmp_path: Path, python: Path) -> None:
    _started(_config(tmp_path, python=python, port=free_port()))
    asked = free_port()

    said = _started(_config(tmp_path, python=python, port=asked))

    assert said == []
    assert port_of(_config(tmp_path, port=asked)) == asked


def test_the_port_of_the_web_server_is_left_to_it(tmp_path: Path, python: Path) -> None:
    port = free_port()
    config = Config(data_dir=tmp_path, port=port, argilla=ArgillaConfig(port=port, python=python))

    _started(config)

    assert port_of(config) > port


def test_a_note_of_the_port_that_cannot_be_read_is_no_note(tmp_path: Path) -> None:
    (tmp_path / "argilla.port").write_text("{")

    assert port_of(_config(tmp_path, port=6911)) == 6911


def test_the_desk_alone_is_not_run_where_there_is_none(evalhub: Evalhub) -> None:
    finished = evalhub("argilla")

    assert finished.returncode == 1
    assert finished.stderr == "EVALHUB_ARGILLA_MODE is off: there is no server to run.\n"
