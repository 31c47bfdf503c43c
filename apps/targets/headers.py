"""Request headers of a spec: plain text, with secrets by reference."""

import re
from collections.abc import Mapping

from .credentials import SENSITIVE_NAME, checked_variable, references, resolved

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_VALUE = re.compile(r"[\x20-\x7e]{0,2000}")
_OURS = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "expect",
        "host",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


def checked_headers(headers: dict[str, str]) -> dict[str, str]:
    """The headers themselves, or ValueError that names the first one that cannot be."""
    for name, value in headers.items():
        _check_name(name)
        _check_value(name, value)
    return headers


def resolved_headers(headers: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    return {name: resolved(value, environ) for name, value in headers.items()}


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name[:100]!r} is not a header's name")
    if name.lower() in _OURS:
        raise ValueError(f"{name} is set by EvalHub itself")


def _check_value(name: str, value: str) -> None:
    if not _VALUE.fullmatch(value):
        raise ValueError(f"{name}: at most 2,000 printable ASCII characters")
    names = references(value)
    for variable in names:
        checked_variable(variable)
    if value.count("${") != len(names):
        raise ValueError(f"{name}: the only reference there is looks like ${{env:MY_KEY}}")
    if SENSITIVE_NAME.search(name) and not names:
        raise ValueError(f"{name} looks like a secret; write it as ${{env:MY_KEY}}")
