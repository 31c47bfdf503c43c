"""The key that signs sessions and messages."""

import os
import secrets
import tempfile
from pathlib import Path

from django.utils.crypto import salted_hmac

from .config import Config


def signing_key(config: Config) -> str:
    """The configured key, or one made once and kept in the data directory."""
    if config.secret_key:
        return config.secret_key.get_secret_value()
    path = config.data_dir / "secret_key"
    if not path.exists():
        _keep(path, secrets.token_urlsafe(48))
    return path.read_text().strip()


def derived_key(config: Config, purpose: str) -> str:
    """A key for one purpose, the same at each start, from which the signing key does not follow."""
    made = salted_hmac(f"evalhub.{purpose}", "", secret=signing_key(config), algorithm="sha256")
    return made.hexdigest()


def _keep(path: Path, text: str) -> None:
    """Write the whole file or nothing; the first process to come wins."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".secret_key-")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        Path(draft).unlink()
