"""A judge held against people: how often it is right, and what that makes of its pass rate."""

from .calibrating import calibrate

__all__ = ["calibrate"]
