"""docker-compose.yml, without Docker: everything it refers to is there, and is called so."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from evalhub.config import load
from evalhub.inventory import settings_of

CHECKOUT = Path(__file__).resolve().parent.parent
COMPOSE = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
SECRET = ("PASSWORD", "_KEY")
# The fields of the settings of argilla_server 2.8 that an installation may want to set, as
# variables; then what the stock image's start script and its libraries read besides.
ARGILLA = {
    "ARGILLA_AUTH_SECRET_KEY",
    "ARGILLA_AUTH_TOKEN_EXPIRATION",
    "ARGILLA_BASE_URL",
    "ARGILLA_CORS_ORIGINS",
    "ARGILLA_DATABASE_POSTGRESQL_MAX_OVERFLOW",
    "ARGILLA_DATABASE_POSTGRESQL_POOL_SIZE",
    "ARGILLA_DATABASE_URL",
    "ARGILLA_DOCS_ENABLED",
    "ARGILLA_ELASTICSEARCH",
    "ARGILLA_ELASTICSEARCH_CA_PATH",
    "ARGILLA_ELASTICSEARCH_SSL_VERIFY",
    "ARGILLA_ES_RECORDS_INDEX_REPLICAS",
    "ARGILLA_ES_RECORDS_INDEX_SHARDS",
    "ARGILLA_HOME_PATH",
    "ARGILLA_REDIS_URL",
    "ARGILLA_SEARCH_ENGINE",
    *("USERNAME", "PASSWORD", "API_KEY"),
    *("HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"),
}


def _environment(service: str) -> dict[str, str]:
    environment: dict[str, str] = SERVICES[service].get("environment", {})
    return environment


def test_web_and_workers_know_the_argilla_server_beside_them() -> None:
    for name in ("web", "worker"):
        settings = _environment(name)

        assert settings["EVALHUB_ARGILLA_MODE"] == "hosted"
        assert settings["EVALHUB_ARGILLA_URL"] == "http://argilla:6900"
        assert settings["EVALHUB_ARGILLA_API_KEY"] == _environment("argilla")["API_KEY"]


@pytest.mark.parametrize("name", ["web", "worker"])
def test_every_setting_of_evalhub_exists(name: str) -> None:
    known = {setting.variable for setting in settings_of(load())}

    assert {each for each in _environment(name) if each.startswith("EVALHUB_")} <= known


@pytest.mark.parametrize("name", ["argilla", "argilla-worker"])
def test_every_setting_of_argilla_exists(name: str) -> None:
    assert set(_environment(name)) <= ARGILLA


@pytest.mark.parametrize("name", SERVICES)
def test_every_secret_must_be_given(name: str) -> None:
    secrets = {
        variable: value
        for variable, value in _environment(name).items()
        if variable.endswith(SECRET) or "@" in value
    }

    assert [variable for variable, value in secrets.items() if ":?" not in value] == []


@pytest.mark.parametrize("name", SERVICES)
def test_what_a_service_waits_for_says_when_it_is_well(name: str) -> None:
    for other, wanted in SERVICES[name].get("depends_on", {}).items():
        assert wanted == {"condition": "service_healthy"}
        assert SERVICES[other]["healthcheck"]["test"]


@pytest.mark.parametrize("name", SERVICES)
def test_every_address_inside_is_the_name_of_a_service(name: str) -> None:
    hosts = {
        value.rpartition("@")[2].rpartition("//")[2].partition("/")[0].partition(":")[0]
        for value in _environment(name).values()
        if "://" in value and "localhost" not in value
    }

    assert hosts <= set(SERVICES)


def test_every_volume_is_made_and_used_once_by_what_must_keep_something() -> None:
    used = {
        volume.partition(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", [])
    }

    assert used == set(COMPOSE["volumes"])


@pytest.mark.parametrize("name", SERVICES)
def test_only_pages_are_open_to_the_network(name: str) -> None:
    assert ("ports" in SERVICES[name]) == (name in {"web", "argilla"})
    assert "networks" not in SERVICES[name]
