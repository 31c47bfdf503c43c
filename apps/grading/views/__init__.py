"""The pages of grading contracts."""
