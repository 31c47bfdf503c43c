"""The end of a run: every record accounted for, the numbers, the files, the seal."""
