"""What the pages of comparing show: which runs, in which words, which records."""
