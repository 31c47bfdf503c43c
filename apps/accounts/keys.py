"""Keys that are shown once and kept as a hash; pure."""

import hashlib
import secrets

VISIBLE = 12


def new_secret(prefix: str = "") -> str:
    return prefix + secrets.token_urlsafe(32)


def digest_of(secret: str) -> str:
    """The secrets are long and random, so a plain hash is as safe as a slow one."""
    return hashlib.sha256(secret.encode(errors="surrogateescape")).hexdigest()


def shown_part(secret: str) -> str:
    """As much as helps to recognise it."""
    return secret[:VISIBLE]
