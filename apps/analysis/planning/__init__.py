"""How many records or labels it takes."""
