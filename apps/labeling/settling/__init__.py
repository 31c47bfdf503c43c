"""What the answer to an item is: agreed, reviewed, settled, gold."""
