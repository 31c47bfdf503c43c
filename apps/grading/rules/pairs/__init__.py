"""Rules on queries with their answers and what was retrieved for them."""
