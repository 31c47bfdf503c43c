"""A file that one living process holds; what it wrote there stays readable."""

import fcntl
from pathlib import Path


class Taken(Exception):
    """Another process holds the file; the message is what that process wrote."""


class LockedFile:
    """The lock goes with the process, however it ends; the text stays for the next one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = self.read()
            self._file.close()
            raise Taken(text) from None

    def read(self) -> str:
        self._file.seek(0)
        return self._file.read()

    def write(self, text: str) -> None:
        self._file.seek(0)
        self._file.truncate()
        self._file.write(text)
        self._file.flush()
