"""Processes of ours: each in a group of its own, started again when it ends, never left behind."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence

PARENT = "EVALHUB_PARENT"
PR_SET_PDEATHSIG = 1
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 4.0
SETTLED_SECONDS = 30.0

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None
_forking = 0


def tie_to_parent() -> None:
    """Die with the process that asked for it when it started this one, even on kill -9."""
    parent = os.environ.pop(PARENT, "")
    if parent.isdecimal():
        _die_with(int(parent))


def tie_forks() -> None:
    """The same for every process that this one, or one of those, forks from now on."""
    os.register_at_fork(before=_remember, after_in_child=lambda: _die_with(_forking))


def environment(**more: str) -> dict[str, str]:
    """The environment of a child that should die with this process."""
    return {**os.environ, **more, PARENT: str(os.getpid())}


def own_command(*arguments: str) -> list[str]:
    """A command of EvalHub in this very interpreter."""
    return [sys.executable, "-m", "evalhub", *arguments]


def end_group(group: int) -> None:
    """Kill every process of a group; none left is fine."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


class Child:
    """A command that should be running: `tend` starts it again, later after each quick death."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        environment: Callable[[], Mapping[str, str]] = environment,
        say: Callable[[str], None],
        on_line: Callable[[str], None] | None = None,
    ) -> None:
        self.name = name
        self._command = command
        self._environment = environment
        self._say = say
        self._on_line = on_line
        self._process: subprocess.Popen[str] | None = None
        self._pause = FIRST_PAUSE
        self._started = 0.0
        self._next = 0.0

    @property
    def group(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def age(self) -> float:
        """Seconds since it was last started."""
        return time.monotonic() - self._started

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if self._on_line else None,
            stderr=subprocess.STDOUT if self._on_line else None,
            pass_fds=self._passed(),
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._started = time.monotonic()
        if self._on_line:
            threading.Thread(target=self._read, args=(self._process,), daemon=True).start()

    def tend(self) -> None:
        """Notice a death and start again when the pause is over."""
        if self.running:
            return
        if self._process:
            self._bury()
        elif time.monotonic() >= self._next:
            self.start()

    def ask_to_stop(self) -> None:
        if self._process and self.running:
            self._process.send_signal(signal.SIGTERM)

    def wait(self, seconds: float) -> None:
        """Give it some seconds to end by itself, then end the whole group."""
        if not self._process:
            return
        try:
            self._process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            self._say(f"{self.name} did not stop in time and is killed")
        self.end()

    def end(self) -> None:
        if self._process:
            end_group(self._process.pid)
            self._process.wait()

    def _passed(self) -> tuple[int, ...]:
        """File descriptors that the process inherits."""
        return ()

    def _bury(self) -> None:
        assert self._process
        self.end()
        self._pause = FIRST_PAUSE if self.age > SETTLED_SECONDS else self._pause
        self._say(
            f"{self.name} ended ({_how(self._process.returncode)}), "
            f"starting it again in {self._pause:g} s"
        )
        self._next = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        self._process = None

    def _read(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout
        assert self._on_line
        for line in process.stdout:
            self._on_line(line.rstrip())


def _remember() -> None:
    global _forking
    _forking = os.getpid()


def _die_with(parent: int) -> None:
    if _libc:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the line above
        os._exit(1)


def _how(code: int) -> str:
    return f"exit {code}" if code >= 0 else signal.Signals(-code).name
