"""Where settings come from, and what a bad one says."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.processes import CHECKOUT

from .conftest import Evalhub

FILE = "~/.evalhub/config.yaml"


def _shown(evalhub: Evalhub, *arguments: str, **variables: str) -> dict[str, Any]:
    finished = evalhub("config", "--json", *arguments, **variables)
    assert finished.returncode == 0, finished.stderr
    return {setting["name"]: setting for setting in json.loads(finished.stdout)}


def _write(home: Path, text: str) -> None:
    (home / ".evalhub" / "config.yaml").write_text(text)


@pytest.mark.parametrize(
    ("flags", "variables", "file", "value", "source"),
    [
        ([], {}, "", "var", "default"),
        ([], {}, "data_dir: {tmp}/file", "file", FILE),
        ([], {"EVALHUB_DATA_DIR": "{tmp}/env"}, "data_dir: {tmp}/file", "env", "environment"),
        (
            ["--data-dir", "{tmp}/flag"],
            {"EVALHUB_DATA_DIR": "{tmp}/env"},
            "data_dir: {tmp}/file",
            "flag",
            "flag --data-dir",
        ),
        (["--data-dir={tmp}/flag"], {}, "", "flag", "flag --data-dir"),
        ([], {"EVALHUB_DATA_DIR": ""}, "data_dir: {tmp}/file", "file", FILE),
    ],
    ids=["default", "file", "environment", "flag", "flag with =", "empty variable"],
)
def test_flags_win_over_the_environment_over_the_file_over_defaults(
    evalhub: Evalhub,
    environment: dict[str, str],
    home: Path,
    tmp_path: Path,
    flags: list[str],
    variables: dict[str, str],
    file: str,
    value: str,
    source: str,
) -> None:
    del environment["EVALHUB_DATA_DIR"]
    _write(home, file.format(tmp=tmp_path))

    shown = _shown(
        evalhub,
        *(flag.format(tmp=tmp_path) for flag in flags),
        **{name: text.format(tmp=tmp_path) for name, text in variables.items()},
    )["data_dir"]

    assert shown["value"] == str((CHECKOUT if value == "var" else tmp_path) / value)
    assert shown["source"].startswith(source)


def test_the_file_takes_the_keys_of_the_package_contracts(evalhub: Evalhub, home: Path) -> None:
    _write(
        home,
        "argilla:\n  mode: hosted\n  url: http://localhost:6900\n  api_key: owner.apikey\n"
        "model:\n  deployment: mistral\noutput:\n  base_dir: ./outputs\n",
    )

    shown = _shown(evalhub, EVALHUB_ARGILLA_MODE="")

    assert shown["argilla.mode"]["value"] == "hosted"
    assert shown["argilla.url"]["value"] == "http://localhost:6900/"
    assert shown["model.deployment"]["value"] == "mistral"
    assert shown["output.base_dir"]["value"] == str(CHECKOUT / "outputs")
    assert {shown[name]["source"] for name in ("argilla.url", "output.base_dir")} == {FILE}


def test_a_nested_variable_wins_over_its_key_in_the_file_and_leaves_the_others(
    evalhub: Evalhub, home: Path
) -> None:
    _write(home, "argilla:\n  mode: hosted\n  api_key: from-the-file\n")

    shown = _shown(evalhub, EVALHUB_ARGILLA_MODE="off")

    assert shown["argilla.mode"]["value"] == "off"
    assert shown["argilla.mode"]["source"] == "environment EVALHUB_ARGILLA_MODE"
    assert shown["argilla.api_key"]["source"] == FILE


def test_secrets_are_masked_and_addresses_keep_only_their_place(evalhub: Evalhub) -> None:
    secrets = {
        "EVALHUB_SECRET_KEY": "k" * 60,
        "EVALHUB_DATABASE_URL": "postgres://alice:hunter2@db.example.org:5432/evalhub?sslkey=deep",
        "EVALHUB_ARGILLA_API_KEY": "owner.apikey",
    }

    finished = evalhub("config", **secrets)

    assert finished.returncode == 0
    assert "postgres://********@db.example.org:5432/evalhub" in finished.stdout
    assert not any(
        word in finished.stdout for word in ("kkkk", "alice", "hunter2", "deep", "owner.apikey")
    )


def test_a_hosted_desk_needs_its_address_and_its_key(evalhub: Evalhub) -> None:
    finished = evalhub("config", EVALHUB_ARGILLA_MODE="hosted")

    assert finished.returncode == 2
    assert finished.stderr.splitlines() == [
        f"{name} is missing (default): it must be given when EVALHUB_ARGILLA_MODE is hosted."
        for name in ("EVALHUB_ARGILLA_URL", "EVALHUB_ARGILLA_API_KEY")
    ]


def test_hosts_are_names_separated_by_commas(evalhub: Evalhub) -> None:
    shown = _shown(evalhub, EVALHUB_ALLOWED_HOSTS="a.example.org, b.example.org")

    assert shown["allowed_hosts"]["value"] == "a.example.org,b.example.org"


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("EVALHUB_PORT", "many", ["'many'", "valid integer"]),
        ("EVALHUB_PORT", "70000", ["'70000'", "less than or equal to 65535"]),
        ("EVALHUB_WORKERS", "0", ["'0'", "greater than or equal to 1"]),
        ("EVALHUB_DEBUG", "perhaps", ["'perhaps'", "valid boolean"]),
        ("EVALHUB_LOG_LEVEL", "loud", ["'LOUD'", "'DEBUG', 'INFO', 'WARNING' or 'ERROR'"]),
        ("EVALHUB_BASE_URL", "example.org", ["'example.org'", "valid URL"]),
        ("EVALHUB_RETENTION_RAW_DAYS", "7", ["'7'", "greater than or equal to 30"]),
        ("EVALHUB_ARGILLA_MODE", "cloud", ["'cloud'", "'local', 'hosted' or 'off'"]),
        ("EVALHUB_ARGILLA_PORT", "0", ["'0'", "greater than or equal to 1"]),
        ("EVALHUB_DATABASE_URL", "mysql://a:hunter2@b/c", ["start with postgres://"]),
        ("EVALHUB_CACHE_URL", "memcached://hunter2", ["start with redis://"]),
    ],
)
def test_a_bad_value_is_one_sentence_with_the_name_and_the_source(
    evalhub: Evalhub, variable: str, value: str, words: list[str]
) -> None:
    finished = evalhub("config", **{variable: value})

    assert finished.returncode == 2
    assert len(finished.stderr.splitlines()) == 1
    assert finished.stderr.startswith(f"{variable} is ")
    assert f"(environment {variable})" in finished.stderr
    assert all(word in finished.stderr for word in words)
    assert "hunter2" not in finished.stderr


def test_a_flag_may_stand_before_the_command(evalhub: Evalhub, tmp_path: Path) -> None:
    finished = evalhub("--data-dir", str(tmp_path / "first"), "config", "--json")

    assert json.loads(finished.stdout)[0]["value"] == str(tmp_path / "first")


def test_a_bad_flag_names_the_flag(evalhub: Evalhub) -> None:
    finished = evalhub("up", "--port", "http")

    assert finished.returncode == 2
    assert "'http' (flag --port)" in finished.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prot: 80", ["'prot'", FILE, "did you mean 'port'?"]),
        ("argilla:\n  urll: x", ["'argilla.urll'", "did you mean 'argilla.url'?"]),
        ("colour: blue", ["'colour'", "the keys are data_dir, "]),
        ("port: [", ["is not valid YAML"]),
        ("- port", ["should be lines of `key: value`"]),
        ("port: many", ["EVALHUB_PORT is 'many'", FILE]),
    ],
)
def test_a_bad_file_says_what_is_wrong_in_it(
    evalhub: Evalhub, home: Path, text: str, words: list[str]
) -> None:
    _write(home, text)

    finished = evalhub("config")

    assert finished.returncode == 2
    assert len(finished.stderr.splitlines()) == 1
    assert all(word in finished.stderr for word in words)


def test_a_data_directory_that_cannot_be_made_is_one_sentence(
    evalhub: Evalhub, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("a file")

    finished = evalhub("config", "--data-dir", str(tmp_path / "taken"))

    assert finished.returncode == 2
    assert "EVALHUB_DATA_DIR (flag --data-dir)" in finished.stderr
    assert len(finished.stderr.splitlines()) == 1


def test_nobody_else_on_the_machine_opens_a_new_data_directory(
    evalhub: Evalhub, tmp_path: Path
) -> None:
    evalhub("config")

    assert (tmp_path / "data").stat().st_mode & 0o077 == 0


def test_the_signing_key_is_made_once_and_only_for_the_owner(
    evalhub: Evalhub, tmp_path: Path
) -> None:
    evalhub("config")
    path = tmp_path / "data" / "secret_key"
    first = path.read_text()

    evalhub("config")

    assert path.read_text() == first
    assert len(first) >= 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
