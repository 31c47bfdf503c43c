"""A judge that compares the answer with what is known to be right."""

from .base import Rule

RULES: tuple[type[Rule], ...] = ()
