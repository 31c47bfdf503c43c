"""What a release is held to: policies in versions, their baselines, which one is meant."""
