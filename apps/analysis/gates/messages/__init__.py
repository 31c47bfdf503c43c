"""Who is told of decisions: signed messages, tried again."""
