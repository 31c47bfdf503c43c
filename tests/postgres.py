"""A PostgreSQL database of one's own, for the tests that start processes of ours on it."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
import pytest

LOCAL = [f"postgres://{user}@127.0.0.1:5432/postgres" for user in ("postgres", "root")]


@contextmanager
def own_database() -> Iterator[str]:
    """Its address while it is there; the test is skipped where no server answers."""
    server, name = _server(), f"evalhub_kill_{uuid.uuid4().hex}"
    if not server:
        pytest.skip("no PostgreSQL: set EVALHUB_DATABASE_URL, or start one on 127.0.0.1:5432")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield f"{server.rpartition('/')[0]}/{name}"
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def _server() -> str:
    """Where databases can be made: the suite's own PostgreSQL, or one on this machine."""
    configured = os.environ.get("EVALHUB_DATABASE_URL", "")
    for url in [f"{configured.rpartition('/')[0]}/postgres"] if configured else LOCAL:
        with suppress(psycopg.Error):
            psycopg.connect(url, connect_timeout=2).close()
            return url
    return ""
