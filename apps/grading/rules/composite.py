"""A rule made of rules."""

from .base import Rule

RULES: tuple[type[Rule], ...] = ()
