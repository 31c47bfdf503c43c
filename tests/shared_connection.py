"""A SQLite connection that threads share, used by one of them at a time.

Django lets the live server use the test's own connection to the database in memory. Python's
sqlite3 keeps the GIL while it waits for the connection's mutex to bind a parameter or read a
column; a thread amid a query has that mutex, and waits for the GIL where the query calls one of
the functions that Django brings. Then both wait for ever. Every user has connections of their
own, so only tests can meet this.
"""

from collections.abc import Callable
from functools import partial
from threading import RLock
from typing import Any

from django.db.backends.sqlite3.base import DatabaseWrapper, SQLiteCursorWrapper


def _alone(method: Callable[..., Any]) -> Callable[..., Any]:
    def alone(self: "_Cursor", *args: Any, **kwargs: Any) -> Any:
        with self.lock:
            return method(self, *args, **kwargs)

    return alone


class _Cursor(SQLiteCursorWrapper):
    def __init__(self, connection: Any, lock: Any) -> None:
        super().__init__(connection)
        self.lock = lock

    execute = _alone(SQLiteCursorWrapper.execute)
    executemany = _alone(SQLiteCursorWrapper.executemany)
    fetchone = _alone(SQLiteCursorWrapper.fetchone)
    fetchmany = _alone(SQLiteCursorWrapper.fetchmany)
    fetchall = _alone(SQLiteCursorWrapper.fetchall)
    __next__ = _alone(SQLiteCursorWrapper.__next__)


def _cursor(database: DatabaseWrapper, name: str | None = None) -> Any:
    lock = vars(database).setdefault("lock_of_cursors", RLock())
    return database.connection.cursor(factory=partial(_Cursor, lock=lock))


def one_thread_at_a_time() -> None:
    DatabaseWrapper.create_cursor = _cursor
