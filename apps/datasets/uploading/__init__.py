"""From stored bytes to a version or a report."""
