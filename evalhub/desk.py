"""The labelling desk: where Argilla is, with which keys, and how our own server of it is run."""

import time
from collections.abc import Callable
from typing import Literal

from pydantic import SecretStr, ValidationError

from apps.contract import Contract
from apps.jobs.locks import LockedFile, Taken
from apps.jobs.processes import FIRST_PAUSE, LONGEST_PAUSE, PARENT, Child, environment

from .config import CHECKOUT, Config
from .listening import address, is_free
from .signing import derived_key

NEAR = 20  # ports that are tried after the one asked for
PORT_TAKEN = (
    "People cannot label for now: something else listens on port {port}. End it, and Argilla "
    "starts by itself; or choose another port with EVALHUB_ARGILLA_PORT and start again."
)
NOT_ITS_OWN = ("EVALHUB_", "ARGILLA_", "PYTHONPATH", "PYTHONHOME")


class Argilla(Contract):
    """What EvalHub knows of the server that people label on; `settings.ARGILLA`."""

    mode: Literal["local", "hosted", "off"]
    url: str = ""
    """Where EvalHub itself reaches the server, without a slash at the end."""
    port: int | None = None
    """Local and no `public_url`: people reach it here, on the host by which they reach EvalHub."""
    public_url: str = ""
    """What links for people begin with, without a slash at the end."""
    owner_key: SecretStr = SecretStr("")
    ticket_key: SecretStr | None = None
    """Local: what tickets are signed with (labeling.members.tickets); foreign servers take none."""
    webhook_url: str = ""
    """Where the server reaches EvalHub, to say that something was answered."""


class Port(Contract):
    """The port that was asked for, and the one that the server then took."""

    asked: int
    taken: int


class Server(Child):
    """Our own Argilla server, which holds the lock of its data as long as we live."""

    def __init__(
        self,
        config: Config,
        lock: LockedFile,
        *,
        say: Callable[[str], None],
        on_line: Callable[[str], None],
    ) -> None:
        self._config, self._lock = config, lock
        self._port_pause = FIRST_PAUSE
        super().__init__(
            "argilla",
            [str(config.argilla.python), "-m", "argilla_embedded"],
            environment=lambda: _environment(config),
            say=say,
            on_line=on_line,
        )

    def start(self) -> None:
        """Not on a port that is taken, where it would end after some seconds, for ever."""
        if is_free(self._config.host, port_of(self._config)):
            self._port_pause = FIRST_PAUSE
            super().start()
        else:
            self._wait_for_the_port()

    def _wait_for_the_port(self) -> None:
        """Said once; pages know the port, so that it takes no other one now."""
        if self._port_pause == FIRST_PAUSE:
            self._say(PORT_TAKEN.format(port=port_of(self._config)))
        self._next = time.monotonic() + self._port_pause
        self._port_pause = min(2 * self._port_pause, LONGEST_PAUSE)


def argilla_of(config: Config) -> Argilla:
    chosen = config.argilla
    url, public_url = (str(each or "").rstrip("/") for each in (chosen.url, chosen.public_url))
    if chosen.mode == "off":
        return Argilla(mode="off")
    if chosen.mode == "hosted":
        key = chosen.api_key or SecretStr("")
        return Argilla(
            mode="hosted",
            url=url,
            public_url=public_url or url,
            owner_key=key,
            webhook_url=_webhook_of(config),
        )
    port = port_of(config)
    return Argilla(
        mode="local",
        url=address(config.host, port).rstrip("/"),
        port=port,
        public_url=public_url,
        owner_key=SecretStr(derived_key(config, "argilla.owner")),
        ticket_key=SecretStr(derived_key(config, "argilla.tickets")),
        webhook_url=_webhook_of(config),
    )


def _webhook_of(config: Config) -> str:
    """Our own server is on this machine, whatever people call it; any other goes people's way."""
    here = address(config.host, config.port)
    people = str(config.base_url or here) if config.argilla.mode == "hosted" else here
    return f"{str(config.argilla.callback_url or people).rstrip('/')}/desk/webhook"


def server_of(
    config: Config, *, say: Callable[[str], None], on_line: Callable[[str], None]
) -> Server | None:
    """Our own server, ready to be started; None, with a sentence, where it cannot be."""
    if config.argilla.mode != "local":
        return None
    if not config.argilla.python.is_file():
        say(
            f"People cannot label yet: {config.argilla.python} is missing. Make it with "
            "`make argilla`, or do without it: EVALHUB_ARGILLA_MODE=off."
        )
        return None
    try:
        lock = LockedFile(config.data_dir / "argilla.lock")
    except Taken:
        say(f"Another process runs the Argilla server of {config.data_dir} already.")
        return None
    port = _claim_port(config)
    if port != config.argilla.port:
        say(f"Port {config.argilla.port} is taken, so people label on port {port}.")
    return Server(config, lock, say=say, on_line=on_line)


def port_of(config: Config) -> int:
    """What the server took when it was last started, else what is asked for."""
    try:
        port = Port.model_validate_json((config.data_dir / "argilla.port").read_bytes())
    except (OSError, ValidationError):
        return config.argilla.port
    return port.taken if port.asked == config.argilla.port else config.argilla.port


def _claim_port(config: Config) -> int:
    """The port of the last start, the one asked for, or one near it; kept, so that links hold."""
    asked = config.argilla.port
    wanted = (port_of(config), *range(asked, min(asked + NEAR, 65536)))
    free = (port for port in wanted if port != config.port and is_free(config.host, port))
    port = Port(asked=asked, taken=next(free, asked))
    (config.data_dir / "argilla.port").write_text(port.model_dump_json())
    return port.taken


def _environment(config: Config) -> dict[str, str]:
    """Ours without our secrets, without proxies (it calls nobody but us), with what it needs."""
    place = argilla_of(config)
    inherited = {
        name: text
        for name, text in environment().items()
        if name == PARENT or not (name.startswith(NOT_ITS_OWN) or name.lower().endswith("_proxy"))
    }
    return {
        **inherited,
        "PYTHONPATH": str(CHECKOUT),
        "PYTHONSAFEPATH": "1",  # and not the folder that we were started in
        "DESK_HOME": str(config.data_dir / "argilla"),
        "DESK_HOST": config.host,
        "DESK_PORT": str(place.port),
        "DESK_OWNER_KEY": place.owner_key.get_secret_value(),
        "DESK_SESSION_KEY": derived_key(config, "argilla.sessions"),
        "DESK_TICKET_KEY": derived_key(config, "argilla.tickets"),
    }
