"""Rules that ask a model; what all of them share is in judging."""
