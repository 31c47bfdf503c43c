"""Rules on what an agent did: statuses, tools, approvals, side effects."""

from .base import Rule

RULES: tuple[type[Rule], ...] = ()
