"""The people who label: their accounts, what waits for them, what they may not see."""
