"""What people fill in when they decide."""
