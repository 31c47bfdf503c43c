"""A judge that works through a rubric, criterion by criterion."""

from .base import Rule

RULES: tuple[type[Rule], ...] = ()
