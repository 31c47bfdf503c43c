"""Judges of query-response pairs: retrieval, grounding and relevance."""

from .base import Rule

RULES: tuple[type[Rule], ...] = ()
