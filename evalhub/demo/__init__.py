"""Example data: people, targets, contracts, two datasets and three runs of an invented shop.

The documents beside this file were written for it; no model answered anywhere.
"""
