"""What programs are told of runs and results."""
