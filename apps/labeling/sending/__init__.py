"""A campaign on its way to Argilla: items built, records pushed."""
