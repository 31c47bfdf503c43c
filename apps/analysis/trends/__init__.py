"""Over many runs: trends, ranks with their ties, records that flicker."""

from .asking import asked
from .sheets import METRICS

__all__ = ["METRICS", "asked"]
