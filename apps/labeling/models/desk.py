"""The desk where people sit: Argilla, its state, and the accounts that we keep there."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class DeskAccount(models.Model):
    """A member's account in Argilla; no password of it is kept here.

    `username` is its first name there, and the name of their labels: it never changes, whatever
    whoever runs the server makes of it. Responses are known by `argilla_id`.

    `made_here` is False where the server had an account of that name before us: it is not ours to
    hand over.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="desk_account"
    )
    username = models.CharField(max_length=150)
    argilla_id = models.CharField(max_length=36, unique=True)
    made_here = models.BooleanField(default=True)
    handed_over_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return self.username


class DeskStatus(models.Model):
    """What the last look at the server found: one row an address."""

    url = models.CharField(max_length=400, unique=True)
    reachable = models.BooleanField(default=False)
    version = models.CharField(max_length=40, default="", blank=True)
    error = models.TextField(default="", blank=True)
    webhook = models.BooleanField(default=False)
    """Whether the server tells us of new answers."""
    latency_ms = models.PositiveIntegerField(null=True)
    checked_at = models.DateTimeField(null=True)
    reached_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.url} {'reachable' if self.reachable else 'down'}"
