"""Asking and judging one record. Pure: any loop can drive it."""
