"""Signatures of what we send, by Standard Webhooks: whoever has the secret can tell it is ours."""

import base64
import binascii
import os
from collections.abc import Mapping
from datetime import datetime

from standardwebhooks.webhooks import Webhook

from apps.targets.credentials import SecretMissingError, read_secret

PREFIX = "whsec_"
SHORTEST = 24
"""Bytes of a secret, as Standard Webhooks asks."""

UNUSABLE = (SecretMissingError, ValueError)
"""What is raised where nothing can be signed; each with a sentence."""

_NOT_ONE = (
    "The environment variable {} holds no signing secret: that is whsec_ and base64 of at least 24 "
    "random bytes."
)


def signing_secret(name: str, environ: Mapping[str, str] | None = None) -> bytes:
    """What the variable holds; SecretMissingError with a sentence where it holds none."""
    text = read_secret(name, os.environ if environ is None else environ).removeprefix(PREFIX)
    try:
        secret = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        raise SecretMissingError(_NOT_ONE.format(name)) from None
    if len(secret) < SHORTEST:
        raise SecretMissingError(_NOT_ONE.format(name))
    return secret


def signed_headers(message_id: str, body: bytes, secret: bytes, at: datetime) -> dict[str, str]:
    """The three headers that a receiver verifies; `at` is when this try was made, in UTC."""
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(secret).sign(message_id, at, body.decode()),
    }


def trouble_with(name: str, environ: Mapping[str, str] | None = None) -> str:
    """Why nothing can be signed with the variable; '' where it can."""
    try:
        signing_secret(name, environ)
    except UNUSABLE as error:
        return str(error)
    return ""
