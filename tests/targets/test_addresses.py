import asyncio
import socket
from ipaddress import ip_address

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from apps.targets.addresses import (
    ForbiddenAddressError,
    checked_url,
    guarded_socket,
    is_forbidden,
)
from apps.targets.client import Failed, open_client


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://169.254.0.1",
        "http://2852039166/",
        "http://0xA9FEA9FE/",
        "http://0251.0376.0251.0376/",
        "http://169.254.169.254./",
        "http://[::ffff:169.254.169.254]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[2002:a9fe:a9fe::1]/",
        "http://[fe80::1]/",
        "http://[fd00:ec2::254]/",
        "http://100.100.100.200/",
        "http://168.63.129.16/",
        "http://metadata.google.internal/",
        "http://METADATA.google.internal./",
        "http://224.0.0.1/",
    ],
)
def test_metadata_and_link_local_addresses_are_refused_however_they_are_written(url: str) -> None:
    with pytest.raises(ValueError, match="cloud metadata or link-local"):
        checked_url(url)


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://h/x", "gopher://h", "//h/x", "h", "http://", "javascript:1"],
)
def test_only_http_and_https_are_addresses(url: str) -> None:
    with pytest.raises(ValueError, match="full address"):
        checked_url(url)


def test_names_and_passwords_in_addresses_are_refused_without_being_quoted() -> None:
    with pytest.raises(ValueError, match="name or password") as refused:
        checked_url("https://bob:hunter2@models.example.org/")

    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:8100/v1",
        "http://127.0.0.1:8100/v1",
        "http://[::1]:8100/v1",
        "http://192.168.1.4/v1",
        "http://10.0.0.1/v1",
        "https://models.example.org/v1?api-version=2",
    ],
)
def test_local_and_private_servers_are_allowed(url: str) -> None:
    assert checked_url(url) == url


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "::1", "8.8.8.8", "fd00::1"])
def test_other_addresses_are_not_forbidden(address: str) -> None:
    assert not is_forbidden(ip_address(address))


@pytest.mark.parametrize("host", ["169.254.169.254", "fe80::1%eth0", "0xA9FEA9FE", "2852039166"])
def test_a_socket_is_refused_for_what_an_address_really_is(host: str) -> None:
    info = (socket.AF_INET, socket.SOCK_STREAM, 0, "", (host, 80))

    with pytest.raises(ForbiddenAddressError):
        guarded_socket(info)


class Rebinding(AbstractResolver):
    """A name server that now says the name is the metadata service."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host, host="169.254.169.254", port=port, family=family, proto=0, flags=0
            )
        ]

    async def close(self) -> None:
        return None


def test_a_name_that_turns_into_a_metadata_address_is_refused_when_connecting() -> None:
    async def send() -> object:
        async with open_client(1, 5, resolver=Rebinding()) as client:
            return await client.send("GET", "http://models.example.org/", body=None, headers={})

    outcome = asyncio.run(send())

    assert isinstance(outcome, Failed)
    assert outcome.code == "invalid_request"
    assert "metadata" in outcome.detail
    assert outcome.latency_ms < 1000
