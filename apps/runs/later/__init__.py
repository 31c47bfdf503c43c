"""What later chapters know of a run: they say so in `ready()`."""
