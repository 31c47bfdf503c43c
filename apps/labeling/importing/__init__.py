"""Labels that came in files."""
