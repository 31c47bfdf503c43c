"""Rules on the tools that were called, in which order and with what."""

from .base import Rule

RULES: tuple[type[Rule], ...] = ()
