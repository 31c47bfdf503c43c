"""Rules on what an answer took: time, money, tokens, calls."""
