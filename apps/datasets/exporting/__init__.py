"""A version as a file again."""
