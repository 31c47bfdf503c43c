"""Deciding: judges against people."""
