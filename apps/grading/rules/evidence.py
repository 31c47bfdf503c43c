"""Rules on what a run leaves for whoever reviews it: verifier output, traceability, sandbox."""

from .base import Rule

RULES: tuple[type[Rule], ...] = ()
