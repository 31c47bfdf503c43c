"""Argilla's own SQLite as its search engine: what was committed is found, nothing is indexed."""
