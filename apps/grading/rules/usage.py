"""Rules on what an answer took: time, money, tokens, calls."""

from .base import Rule

RULES: tuple[type[Rule], ...] = ()
