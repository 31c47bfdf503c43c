"""The server as tests see it: a process of its own that ends with them."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class ModelServer:
    """`base_url` is for `openai_chat`, `root` + `/answer` for `http_json`."""

    root: str

    @property
    def base_url(self) -> str:
        return f"{self.root}/v1"

    def plan(self, **plan: Any) -> None:
        """Replace the plan: latency_ms, wrong_rate, answers, faults=[{mode, share, times, …}]."""
        self._post("/_plan", json.dumps(plan))

    def reset(self) -> None:
        self._post("/_reset")

    def stats(self) -> dict[str, Any]:
        found: dict[str, Any] = self._post("/_stats")
        return found

    def calls(self, prompt: str) -> int:
        return int(self._post("/_calls", prompt))

    def last_request(self) -> dict[str, Any]:
        """url, headers and body of the last request that was asked of the model."""
        found: dict[str, Any] = self._post("/_last")
        return found

    def _post(self, path: str, body: str = "") -> Any:
        request = urllib.request.Request(self.root + path, body.encode(), method="POST")
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)


@contextmanager
def running_server(*options: str) -> Iterator[ModelServer]:
    """Start one on a free port; it stops with the block, or with this process."""
    command = [sys.executable, "-m", "tests.model_server", "--port", "0", "--with-parent", *options]
    with subprocess.Popen(
        command, cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[-1]
            yield ModelServer(root=url.removesuffix("/v1"))
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def shared_model_server() -> Iterator[ModelServer]:
    with running_server() as server:
        yield server


@pytest.fixture
def model_server(shared_model_server: ModelServer) -> ModelServer:
    """One process for all tests, its plan and counters fresh for each."""
    shared_model_server.reset()
    return shared_model_server
