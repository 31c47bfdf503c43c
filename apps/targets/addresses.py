"""Which addresses a target may have: http and https, anything but cloud metadata and link-local.

Loopback and private ranges are allowed, people test local servers. Literal addresses are refused
when a target is saved; resolved ones when a connection is made, so a name that changes its address
in between gains nothing.
"""

import errno
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Annotated, Any

from pydantic import AfterValidator, HttpUrl, TypeAdapter, ValidationError

Address = IPv4Address | IPv6Address

FORBIDDEN_NETWORKS = tuple(
    ip_network(network)
    for network in (
        "169.254.0.0/16",  # link-local: the metadata service of most clouds
        "fe80::/10",
        "fd00:ec2::254/128",  # AWS
        "fd20:ce::254/128",  # Google Cloud
        "100.100.100.200/32",  # Alibaba
        "168.63.129.16/32",  # Azure
        "192.0.0.192/32",  # Oracle
    )
)
FORBIDDEN_NAMES = frozenset(
    {"metadata", "metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"}
)
_NAT64 = ip_network("64:ff9b::/96")
_URL = TypeAdapter(HttpUrl)


class ForbiddenAddressError(OSError):
    """A connection to an address that no target may have."""

    def __init__(self, address: str) -> None:
        super().__init__(errno.EACCES, f"{address} is not an address that a target may have")


def checked_url(url: str) -> str:
    """The URL in canonical form (numeric hosts spelled as four numbers); ValueError otherwise."""
    try:
        parsed = _URL.validate_python(url)
    except ValidationError:
        raise ValueError("write a full address that begins with https:// or http://") from None
    if parsed.username or parsed.password:
        raise ValueError("a name or password in an address is not allowed; use a key variable")
    if parsed.fragment:
        raise ValueError("an address with a # part is not allowed")
    _check_host(parsed.host or "")
    return str(parsed)


TargetUrl = Annotated[str, AfterValidator(checked_url)]


def is_forbidden(address: Address) -> bool:
    address = _unwrapped(address)
    if address.is_multicast:
        return True
    return any(address in network for network in FORBIDDEN_NETWORKS)


def guarded_socket(address_info: tuple[Any, ...]) -> socket.socket:
    """A socket for one resolved address, or ForbiddenAddressError; aiohttp calls it to connect."""
    family, kind, protocol, _name, address = address_info
    host = str(address[0])
    if _is_forbidden_literal(host):
        raise ForbiddenAddressError(host)
    return socket.socket(family=family, type=kind, proto=protocol)


def _check_host(host: str) -> None:
    bare = host.strip("[]").rstrip(".").lower()
    if bare in FORBIDDEN_NAMES or (_is_address(bare) and _is_forbidden_literal(bare)):
        raise ValueError(f"{bare} is a cloud metadata or link-local address: refused")


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _is_forbidden_literal(host: str) -> bool:
    try:
        return is_forbidden(ip_address(host.partition("%")[0]))
    except ValueError:
        return True  # the system would read other spellings (0xA9FEA9FE) in its own way


def _unwrapped(address: Address) -> Address:
    """The IPv4 address inside an IPv6 one, where there is one."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
