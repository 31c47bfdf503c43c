"""The pages that show several chapters."""
