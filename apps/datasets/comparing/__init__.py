"""Two versions, and two texts, beside each other."""
