"""Multiple choice: the option that the answer names."""

from .base import Rule

RULES: tuple[type[Rule], ...] = ()
