"""Rules on what an agent did and left behind."""
