"""Charts: numbers in, an SVG out. Pure, and every text is escaped.

No script and no inline style, so a strict policy lets them through; classes carry the colours
(static/css/charts.css), so one drawing serves both themes. Each has a text alternative.
"""

from .forests import ForestRow, forest
from .histograms import histogram
from .matrices import confusion_matrix
from .outlines import distributions
from .pictures import Picture
from .progress import Segment, progress_bar
from .reliability import reliability_diagram
from .scatters import paired_scatter
from .trends import TrendPoint, trend_lines
from .whiskers import AxisRange, axis, axis_range, whisker

__all__ = [
    "AxisRange",
    "ForestRow",
    "Picture",
    "Segment",
    "TrendPoint",
    "axis",
    "axis_range",
    "confusion_matrix",
    "distributions",
    "forest",
    "histogram",
    "paired_scatter",
    "progress_bar",
    "reliability_diagram",
    "trend_lines",
    "whisker",
]
