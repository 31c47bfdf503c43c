"""Rules on the answer itself: its text, numbers and structure, how near it is to a reference."""
