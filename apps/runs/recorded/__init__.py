"""Runs that ask nobody: answers, traces and scores that came with a dataset."""
