"""Rules on single fields of an answer in JSON."""

from .base import Rule

RULES: tuple[type[Rule], ...] = ()
