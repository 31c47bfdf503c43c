"""The labelling server: what is asked of it, how it is reached, watched and heard."""
