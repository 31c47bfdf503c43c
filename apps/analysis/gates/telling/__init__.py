"""A decision in words, as reports, with its evidence, and as pages show it."""
