"""Run the server alone: `python -m tests.model_server --port 8100 --latency-ms 50`."""

import argparse
import asyncio
import contextlib
import sys

from .plan import Plan
from .server import serve

LONGEST_LIFE_S = 6 * 3600


def main() -> None:
    parser = argparse.ArgumentParser(description="A model server for tests, on loopback.")
    parser.add_argument("--port", type=int, default=8100, help="0 for any free port")
    parser.add_argument("--latency-ms", type=float, default=0)
    parser.add_argument("--wrong-rate", type=float, default=0.1)
    parser.add_argument("--with-parent", action="store_true", help="end when standard input ends")
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_run(options))


async def _run(options: argparse.Namespace) -> None:
    plan = Plan(latency_ms=options.latency_ms, wrong_rate=options.wrong_rate)
    server = await serve("127.0.0.1", options.port, plan)
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(f"model server on http://127.0.0.1:{port}/v1\n")
    sys.stdout.flush()
    end = _end_of_input() if options.with_parent else asyncio.Event().wait()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(end, LONGEST_LIFE_S)
    server.close()


async def _end_of_input() -> None:
    """The parent holds the other end of the pipe, so its death ends this process too."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await reader.read()


main()
