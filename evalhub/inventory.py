"""The settings as people see them: each with its value and its origin, secrets masked."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from pydantic import BaseModel, SecretStr

from apps.contract import Contract

from .complaints import MASK
from .config import Config, Section, source_of, variable_of


class Setting(Contract):
    name: str
    variable: str
    value: str | None
    source: str
    description: str


def settings_of(config: Config) -> list[Setting]:
    return [
        Setting(
            name=".".join(path),
            variable=variable_of(path),
            value=_shown(value),
            source=source_of(path),
            description=description,
        )
        for path, value, description in _leaves(config)
    ]


def _leaves(
    section: BaseModel, above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], object, str]]:
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if isinstance(value, Section):
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name), value, field.description or ""


def _shown(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, SecretStr):
        return _masked(value.get_secret_value())
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _masked(secret: str) -> str:
    """Stars; of an address only the user, the password and the options."""
    address = urlsplit(secret)
    if not address.hostname:
        return MASK
    people, at, host = address.netloc.rpartition("@")
    hidden = f"{MASK}{at}{host}" if people else host
    return address._replace(netloc=hidden, query="", fragment="").geturl()
