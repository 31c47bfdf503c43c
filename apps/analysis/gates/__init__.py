"""Gates: what a release is held to, the answer with every reason, and who is told."""
