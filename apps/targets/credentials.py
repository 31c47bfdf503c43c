"""Secrets by reference: a spec names environment variables, only a call reads them.

A target sends what it reads to an address that an admin chose, so variables that belong to this
server are refused by name: its own settings, its databases and the accounts of its machine.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import AfterValidator

REFERENCE = re.compile(r"\$\{env:([^}]*)\}")
SENSITIVE_NAME = re.compile(
    r"authori[sz]ation|api.?key|secret|token(?!s)|passw|credential|signature|cookie|^key$",
    re.IGNORECASE,
)
DENIED_PREFIXES = (
    *("EVALHUB_", "DJANGO_", "ARGILLA_"),
    *("PG", "POSTGRES", "MYSQL_", "REDIS", "SMTP_", "SENTRY_"),
    *("AWS_", "AZURE_CLIENT_", "GOOGLE_APPLICATION_", "KUBERNETES_", "CI_", "GITHUB_"),
    *("PYTHON", "LD_", "SSH_"),
)
DENIED_SUFFIXES = ("DATABASE_URL", "_DSN", "REDIS_URL", "CACHE_URL", "EMAIL_URL", "BROKER_URL")
DENIED_NAMES = frozenset({"SECRET_KEY", "PATH", "HOME", "USER", "PWD", "HOSTNAME", "SHELL"})

_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_SENDABLE = re.compile(r"[\x21-\x7e]+")
MASK = "***"


class SecretMissingError(Exception):
    """A sentence that names the variable and never its value."""


def checked_variable(name: str) -> str:
    """The name of a variable that a target may refer to; ValueError with the reason otherwise."""
    if not _NAME.fullmatch(name) or len(name) > 100:
        raise ValueError("name an environment variable, like OPENAI_API_KEY (never the key itself)")
    if name in DENIED_NAMES or name.startswith(DENIED_PREFIXES) or name.endswith(DENIED_SUFFIXES):
        raise ValueError("this variable belongs to the server itself: name another")
    return name


EnvName = Annotated[str, AfterValidator(checked_variable)]


def read_secret(name: str, environ: Mapping[str, str]) -> str:
    value = environ.get(checked_variable(name), "").strip()
    if not value:
        raise SecretMissingError(f"The environment variable {name} is not set on this server.")
    if not _SENDABLE.fullmatch(value):
        raise SecretMissingError(f"The environment variable {name} holds characters no header can.")
    return value


def references(text: str) -> list[str]:
    return REFERENCE.findall(text)


def resolved(text: str, environ: Mapping[str, str]) -> str:
    """`text` with each `${env:NAME}` replaced by the variable's value."""
    return REFERENCE.sub(lambda match: read_secret(match[1], environ), text)


def masked(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, MASK)
    return text
