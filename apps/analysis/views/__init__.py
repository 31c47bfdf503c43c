"""Deciding, on pages."""
