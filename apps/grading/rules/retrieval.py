"""Rules on what was retrieved: precision, recall, reciprocal rank, nDCG, sufficiency."""

from .base import Rule

RULES: tuple[type[Rule], ...] = ()
