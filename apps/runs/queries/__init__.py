"""What pages, the API and commands read of runs; every function says how many queries it makes."""

from .figures import Figures, SlicePage, families_of, figures_of, slices_of
from .history import Kept, artifacts_of, children_of, states_of
from .listing import RunFilter, RunRow, rows_of, run_to_show, runs, targets_that_ran
from .progress import Counts, Denominators, Group, Progress, Work, counts_of, progress_of, work_of
from .results import ResultFilter, neighbours, results_of, rule_names
from .shown import Shown, shown

__all__ = [
    "Counts",
    "Denominators",
    "Figures",
    "Group",
    "Kept",
    "Progress",
    "ResultFilter",
    "RunFilter",
    "RunRow",
    "Shown",
    "SlicePage",
    "Work",
    "artifacts_of",
    "children_of",
    "counts_of",
    "families_of",
    "figures_of",
    "neighbours",
    "progress_of",
    "results_of",
    "rows_of",
    "rule_names",
    "run_to_show",
    "runs",
    "shown",
    "slices_of",
    "states_of",
    "targets_that_ran",
    "work_of",
]
