"""The texts of PDFs, which a process of its own extracts: it may hang or run out of memory."""

import json
import os
import selectors
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

PROGRAM = Path(__file__).with_name("pdf_process.py")
MEMORY_BYTES = 384 * 1024 * 1024
MOST_TEXT = 200_000
START_SECONDS = 10.0
FILE_SECONDS = 4.0
UPLOAD_SECONDS = 30.0
"""For a PDF, and for all PDFs of an upload. After one that takes too long none is read."""

REPLY_BYTES = 16 * MOST_TEXT


class Unreadable(Exception):
    """Why a file has no text, as part of a sentence."""


class PdfReader:
    """Starts the process with the first PDF and keeps it until it is closed."""

    def __init__(
        self, *, file_seconds: float = FILE_SECONDS, upload_seconds: float = UPLOAD_SECONDS
    ) -> None:
        self._file_seconds = file_seconds
        self._left = upload_seconds
        self._ended = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._handed: IO[bytes] | None = None

    def text(self, content: bytes) -> str:
        """The text of a PDF, its beginning where it is long; raises Unreadable."""
        if self._ended:
            raise Unreadable(self._ended)
        process, handed = self._started()
        handed.seek(0)
        handed.write(content)
        handed.flush()
        begun = time.monotonic()
        reply = self._ask(process, b"%d\n" % len(content))
        self._left -= time.monotonic() - begun
        if "error" in reply:
            raise Unreadable(reply["error"])
        return reply["text"]

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
        if self._handed is not None:
            self._handed.close()
            self._handed = None

    def _started(self) -> tuple["subprocess.Popen[bytes]", IO[bytes]]:
        if self._process is None or self._handed is None:
            self._handed = TemporaryFile(prefix="evalhub-")  # noqa: SIM115 - closed in close
            self._process = _start(self._handed)
            if _line(self._process, START_SECONDS) is None:
                self._end("the process that reads PDFs could not be started.")
                raise Unreadable(self._ended)
        return self._process, self._handed

    def _ask(self, process: "subprocess.Popen[bytes]", question: bytes) -> dict[str, str]:
        try:
            os.write(_descriptor(process.stdin), question)
        except BrokenPipeError:
            self._end("the process that reads PDFs has ended.")
            raise Unreadable(self._ended) from None
        seconds = min(self._file_seconds, self._left)
        line = _line(process, seconds)
        if line is None:
            self._end("an earlier PDF of the upload took too much time or memory.")
            raise Unreadable(f"the PDF takes more than {seconds:.0f} s or too much memory.")
        reply: dict[str, str] = json.loads(line)
        return reply

    def _end(self, reason: str) -> None:
        self._ended = reason
        self.close()


def _start(handed: IO[bytes]) -> "subprocess.Popen[bytes]":
    """Knows nothing of the environment, and has no file open but the one that is handed over."""
    descriptor = str(handed.fileno())
    return subprocess.Popen(
        [sys.executable, "-I", str(PROGRAM), descriptor, str(MEMORY_BYTES), str(MOST_TEXT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=(handed.fileno(),),
        env={},
        bufsize=0,
    )


def _line(process: "subprocess.Popen[bytes]", seconds: float) -> bytes | None:
    """What the process says next; None where it ends or lets so much time pass."""
    deadline, said = time.monotonic() + seconds, b""
    descriptor = _descriptor(process.stdout)
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while not said.endswith(b"\n"):
            if len(said) > REPLY_BYTES or not selector.select(deadline - time.monotonic()):
                return None
            part = os.read(descriptor, 1 << 16)
            if not part:
                return None
            said += part
    return said


def _descriptor(pipe: IO[bytes] | None) -> int:
    if pipe is None:
        raise ValueError("the process was started without pipes")
    return pipe.fileno()
