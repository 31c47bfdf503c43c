"""Judges held against people: what was matched, what came of it, and who may say otherwise."""
