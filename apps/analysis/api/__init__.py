"""The API of deciding."""
