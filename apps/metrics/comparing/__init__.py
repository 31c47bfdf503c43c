"""Two runs record by record: what changed, by how much, and how sure that is."""

from .comparing import compare
from .pairs import Measure, Pairs, move_codes
from .power import detectable, needed

__all__ = ["Measure", "Pairs", "compare", "detectable", "move_codes", "needed"]
