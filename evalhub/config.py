"""The typed configuration: the only reader of the environment and of config.yaml."""

import os
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    HttpUrl,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    YamlConfigSettingsSource,
)

from . import complaints

CHECKOUT = Path(__file__).resolve().parent.parent
CONFIG_FILE = Path("~/.evalhub/config.yaml")
PREFIX = "EVALHUB_"

_flags: dict[str, str] = {}


class ConfigError(Exception):
    """A sentence for the person who starts the program."""


def _split(value: object) -> object:
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def _address(*schemes: str) -> AfterValidator:
    def check(value: SecretStr) -> SecretStr:
        if urlsplit(value.get_secret_value()).scheme not in schemes:
            raise ValueError(f"it should start with {' or '.join(f'{s}://' for s in schemes)}")
        return value

    return AfterValidator(check)


Interpreter = Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())]
AbsolutePath = Annotated[Path, AfterValidator(lambda path: path.expanduser().resolve())]
Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
LogLevel = Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(_upper)]
DatabaseUrl = Annotated[SecretStr, _address("postgres", "postgresql")]
CacheUrl = Annotated[SecretStr, _address("redis", "rediss")]
EmailUrl = Annotated[SecretStr, _address("smtp", "smtp+tls", "smtp+ssl", "consolemail", "filemail")]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ArgillaConfig(Section):
    mode: Literal["local", "hosted", "off"] = Field("local", description="where people label")
    url: HttpUrl | None = Field(
        None, validate_default=True, description="the Argilla server, when hosted"
    )
    public_url: HttpUrl | None = Field(None, description="where people reach it, when elsewhere")
    callback_url: HttpUrl | None = Field(
        None, description="where it reaches EvalHub, when elsewhere than people do"
    )
    api_key: SecretStr | None = Field(
        None, validate_default=True, description="the key of Argilla's owner, when hosted"
    )
    port: int = Field(
        6900, ge=1, le=65535, description="port of our own Argilla server, or one near it"
    )
    python: Interpreter = Field(
        CHECKOUT / ".venv-argilla/bin/python", description="the Python that our own server runs in"
    )

    @field_validator("url", "api_key")
    @classmethod
    def _known_when_hosted(cls, value: object, info: ValidationInfo) -> object:
        if value is None and info.data.get("mode") == "hosted":
            raise ValueError("it must be given when EVALHUB_ARGILLA_MODE is hosted")
        return value


class ModelConfig(Section):
    deployment: str = Field("", description="the model that a new judge proposes")


class OutputConfig(Section):
    base_dir: AbsolutePath | None = Field(None, description="where artifacts are written")


class Config(BaseSettings):
    """Every setting of EvalHub, from flags, environment, file or default, in this order."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="_",
        env_nested_max_split=1,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        validate_default=True,
    )

    data_dir: AbsolutePath = Field(CHECKOUT / "var", description="database, files and artifacts")
    database_url: DatabaseUrl | None = Field(None, description="postgres://…; SQLite when absent")
    secret_key: SecretStr | None = Field(
        None, description="made when absent; on several machines the same"
    )
    debug: bool = Field(False, description="pages with tracebacks, for developers only")
    host: str = Field("127.0.0.1", description="address that `up` and `web` listen on")
    port: int = Field(8000, ge=1, le=65535, description="port that `up` and `web` listen on")
    base_url: HttpUrl | None = Field(None, description="where people reach EvalHub")
    allowed_hosts: Names = Field((), description="further host names, separated by commas")
    workers: int = Field(
        default_factory=lambda: min(4, os.cpu_count() or 2),
        ge=1,
        le=64,
        description="worker processes on this machine",
    )
    lease_seconds: int = Field(
        30, ge=2, le=600, description="silence after which a worker's records go to another"
    )
    cache_url: CacheUrl | None = Field(None, description="redis://…; memory when absent")
    email_url: EmailUrl | None = Field(None, description="smtp://…; the console when absent")
    email_from: str = Field("evalhub@localhost", description="sender of invitations")
    log_level: LogLevel = Field("INFO", description="DEBUG, INFO, WARNING or ERROR")
    retention_raw_days: int = Field(30, ge=30, description="days that raw answers are kept")
    retention_summary_days: int = Field(180, ge=180, description="days that summaries are kept")
    argilla: ArgillaConfig = ArgillaConfig()
    model: ModelConfig = ModelConfig()
    output: OutputConfig = OutputConfig()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        file = YamlConfigSettingsSource(settings_cls, yaml_file=CONFIG_FILE.expanduser())
        return init_settings, env_settings, file


def use_flags(flags: dict[str, str]) -> None:
    """Let command-line flags win, here and in every process that this one starts."""
    _flags.update(flags)
    for name, value in flags.items():
        os.environ[variable_of((name,))] = value


@cache
def load() -> Config:
    """Read the configuration once; every bad value is one sentence."""
    try:
        _file_values()
        return Config()
    except ValidationError as error:
        raise ConfigError(complaints.sentences(error, Config, source_of)) from None
    except SettingsError as error:
        raise ConfigError(str(error)) from None


def prepare(config: Config) -> None:
    """Make the data directory, for this user alone, or say why it cannot be."""
    try:
        config.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(config.data_dir, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise ConfigError(
            f"{variable_of(('data_dir',))} ({source_of(('data_dir',))}): {config.data_dir} "
            f"cannot be used: {error.strerror}. Choose another with --data-dir DIR."
        ) from None


def variable_of(path: tuple[str, ...]) -> str:
    return PREFIX + "_".join(path).upper()


def source_of(path: tuple[str, ...]) -> str:
    """Where the value of a setting came from, in words."""
    if path[0] in _flags:
        return f"flag --{path[0].replace('_', '-')}"
    for variable in (variable_of(path), variable_of(path[:1])):
        if any(key.upper() == variable and value for key, value in os.environ.items()):
            return f"environment {variable}"
    return str(CONFIG_FILE) if _in_file(path) else "default"


def _in_file(path: tuple[str, ...]) -> bool:
    values: Any = _file_values()
    for name in path:
        if not isinstance(values, dict) or name not in values:
            return False
        values = values[name]
    return True


def _file_values() -> dict[str, Any]:
    path = CONFIG_FILE.expanduser()
    try:
        values = yaml.safe_load(path.read_text()) if path.is_file() else None
    except yaml.YAMLError as error:
        raise ConfigError(f"{CONFIG_FILE} is not valid YAML: {_first_line(error)}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{CONFIG_FILE} cannot be read: {error}.") from None
    if not isinstance(values, dict | None):
        raise ConfigError(f"{CONFIG_FILE} should be lines of `key: value`.")
    return values or {}


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())
