"""Example data: people, targets, contracts, datasets and runs of an invented shop.

The documents beside this file were written for it; no model answered anywhere.
"""
