"""What workers do with a run: take their turn, ask, judge and write."""
