"""Starting runs: what is named, asked and frozen before anything is sent."""
