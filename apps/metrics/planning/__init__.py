"""How many records or labels it takes to be sure, and what there is would show."""

from .labels import NEXT, next_labels, unlabelled
from .records import (
    Part,
    design_effect,
    detectable_by,
    discordance_of,
    independent_discordance,
    records_for_interval,
    records_for_rate,
    records_needed,
    slice_plans,
)
from .runs import runs_for_slope

__all__ = [
    "NEXT",
    "Part",
    "design_effect",
    "detectable_by",
    "discordance_of",
    "independent_discordance",
    "next_labels",
    "records_for_interval",
    "records_for_rate",
    "records_needed",
    "runs_for_slope",
    "slice_plans",
    "unlabelled",
]
