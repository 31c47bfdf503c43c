"""Each check of a policy over what was gathered, and what they come to."""
