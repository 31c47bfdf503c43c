"""Argilla's SQLite: how it is opened, brought up to date, and who owns it."""

import secrets
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from argilla_server.contexts.accounts import hash_password
from argilla_server.database import ALEMBIC_CONFIG_FILE, SyncSessionLocal
from argilla_server.enums import UserRole
from argilla_server.models import User
from sqlalchemy import event, select
from sqlalchemy.engine import Engine

OWNER = "evalhub"


@event.listens_for(Engine, "connect")
def _open(connection: Any, record: object) -> None:
    """Pages read while records are written."""
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.close()


def migrate() -> None:
    scripts = Path(ALEMBIC_CONFIG_FILE).parent / "alembic"
    config = Config()  # not of the file, which would turn logging on
    config.set_main_option("script_location", str(scripts))
    command.upgrade(config, "head")


def keep_owner(api_key: str) -> None:
    """The owner has this key, and a password that nobody knows."""
    with SyncSessionLocal() as session:
        owner = session.scalar(select(User).where(User.username == OWNER))
        if owner is None:
            password = hash_password(secrets.token_urlsafe(32))
            owner = User(username=OWNER, first_name="EvalHub", password_hash=password)
            session.add(owner)
        owner.role = UserRole.owner
        owner.api_key = api_key
        session.commit()
