"""Where servers of ours listen."""

import socket

EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - recognised, not bound


def reachable(host: str) -> str:
    """The host by which this machine reaches what listens on `host`."""
    return EVERYWHERE.get(host, host)


def address(host: str, port: int) -> str:
    """The address, with a slash at its end, by which this machine reaches what listens there."""
    name = reachable(host)
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/"


def is_free(host: str, port: int) -> bool:
    """Whether nobody listens there; granian would share the port without a word."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as attempt:
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind((host, port))
        except OSError:
            return False
    return True
