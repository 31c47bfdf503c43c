"""Pictures: what they draw, what they say, and the numbers that go with them."""

import base64
import re
from xml.etree import ElementTree as ET

import pytest

from apps.metrics.contracts import Distribution, Interval
from apps.metrics.distributions import latencies, scores
from apps.metrics.intervals import rate
from apps.metrics.labels import Confusion
from apps.metrics.reliability import reliability
from apps.web.charts import (
    ForestRow,
    Picture,
    TrendPoint,
    confusion_matrix,
    distributions,
    forest,
    histogram,
    paired_scatter,
    reliability_diagram,
    trend_lines,
)
from apps.web.charts.plots import LETTERS

HOSTILE = '<script>alert("x")</script>\' onload=1 & \x00\x0b]]>'
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""The characters that XML 1.0 (section 2.2) has no place for."""
SHOWN = HOSTILE.replace("\x00\x0b", "")
ATTRIBUTES = {
    *("class", "role", "aria-label", "viewBox", "width", "height", "overflow", "display", "href"),
    *("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "dx", "d", "text-anchor"),
    "preserveAspectRatio",
}
"""All that a strict policy and both themes can do with."""


def parsed(picture: Picture) -> ET.Element:
    return ET.fromstring(picture.svg)


def of_class(picture: Picture, name: str) -> list[ET.Element]:
    return [one for one in parsed(picture).iter() if name in one.get("class", "").split()]


def texts(picture: Picture) -> list[str]:
    return [one.text or "" for one in parsed(picture).iter("text")]


def is_sound(picture: Picture) -> None:
    """Well-formed, without a number that is none, an alternative in words, data that reads back."""
    for element in parsed(picture).iter():
        assert element.attrib.keys() <= ATTRIBUTES
        for name, value in element.attrib.items():
            if name not in ("class", "aria-label", "href"):
                assert not re.search(r"nan|inf", value), (name, value)
    assert parsed(picture).get("aria-label") == NOT_IN_XML.sub("", picture.alt)
    assert len(picture.csv.splitlines()) >= 1
    coded = picture.csv_address.partition("base64,")[2]
    assert base64.b64decode(coded).decode() == picture.csv


def a_row(label: str = "Pass rate", *, address: str = "", note: str = "") -> ForestRow:
    difference = Interval(point=0.032, low=-0.01, high=0.061, n=1200, method="paired")
    return ForestRow(label=label, interval=difference, tone="ok", note=note, address=address)


def test_a_forest_says_differences_in_points_with_their_sign() -> None:
    drawn = forest([a_row()], unit="points", name="B against A")

    assert drawn.alt == (
        "B against A. Pass rate: +3.2 points, 95 % confidence interval −1.0 to +6.1 points, "
        "n = 1,200"
    )
    assert "+3.2 points" in texts(drawn)
    assert "−1.0 to +6.1 points" in texts(drawn)


def test_a_forest_has_the_interval_beside_its_name_and_under_it_for_the_narrow() -> None:
    drawn = forest([a_row()], unit="points", name="B against A")

    assert [len(of_class(drawn, name)) for name in ("beside", "under")] == [2, 2]
    assert {one.get("display") for one in of_class(drawn, "under")} == {"none"}


def test_a_forest_marks_the_reference_on_every_row() -> None:
    drawn = forest([a_row(), a_row("Other")], unit="points", name="B against A", reference=-0.02)

    places = {one.get("x1") for one in of_class(drawn, "target")}
    assert len(of_class(drawn, "target")) == 4  # two rows, beside and under
    assert len(places) == 1


def test_a_forest_links_only_where_it_is_ours() -> None:
    linked = forest([a_row(address="/w/demo/runs/")], unit="points", name="B")
    elsewhere = forest([a_row(address="javascript:alert(1)")], unit="points", name="B")

    assert [one.get("href") for one in parsed(linked).iter("a")] == ["/w/demo/runs/"]
    assert parsed(linked).get("role") == "group"
    assert list(parsed(elsewhere).iter("a")) == []


def test_a_row_without_a_value_gives_the_reason() -> None:
    nothing = Interval(point=None, low=None, high=None, n=0, method="", reason="too few records")

    drawn = forest([ForestRow(label="Turkish", interval=nothing)], unit="points", name="Slices")

    assert "too few records" in texts(drawn)
    assert of_class(drawn, "dot") == []
    assert drawn.rows == (("Turkish", None, None, None, 0, "", "too few records"),)


def test_other_units_have_a_sign_where_they_are_differences() -> None:
    slower = Interval(point=210, low=-20, high=900, n=90, method="paired")

    drawn = forest([ForestRow(label="p95", interval=slower)], unit="ms", name="L", signed=True)

    assert "+210 ms" in texts(drawn)
    assert "−20 ms to +900 ms" in texts(drawn)


def test_a_scatter_counts_what_went_up_and_down_and_leaves_out_what_lacks_a_value() -> None:
    nan = float("nan")

    drawn = paired_scatter([0, 0, 1, 1, nan], [1, 1, 0, 1, 1], unit="score", name="Scores")

    assert drawn.alt == (
        "Scores, n = 4: 2 have more in candidate, 1 less, 1 the same as in baseline; "
        "1 without a value in both are left out"
    )
    assert sorted(drawn.rows) == [(0.0, 1.0, 2), (1.0, 0.0, 1), (1.0, 1.0, 1)]


def test_the_area_of_a_dot_is_in_proportion_to_how_many_it_holds() -> None:
    drawn = paired_scatter([0] * 4 + [1], [1] * 4 + [0], unit="score", name="Scores")

    large, small = (float(one.get("r", "")) for one in of_class(drawn, "cell"))
    assert large == pytest.approx(2 * small, abs=0.02)


def test_fifty_thousand_pairs_are_at_most_forty_by_forty_dots() -> None:
    import numpy as np

    rng = np.random.default_rng(1)

    drawn = paired_scatter(rng.random(50_000), rng.random(50_000), unit="score", name="Scores")

    assert len(of_class(drawn, "cell")) == 1600
    assert sum(int(row[2] or 0) for row in drawn.rows) == 50_000
    assert len(drawn.svg) < 120_000


def test_one_slow_call_does_not_press_the_others_into_a_corner() -> None:
    drawn = paired_scatter([*range(100, 200), 60_000], [*range(100, 200), 90], unit="ms", name="L")

    assert "1 off the scale are drawn at its edge" in drawn.alt
    assert "60 s" not in texts(drawn)


def test_distributions_share_their_bins_and_no_share_is_above_all() -> None:
    narrow, wide = latencies(range(200)), latencies(range(2000))

    drawn = distributions({"A": narrow, "B": wide}, unit="ms", name="Latency")

    assert len(of_class(drawn, "s0")) == len(of_class(drawn, "s1")) == 2  # legend and outline
    assert drawn.alt.startswith(
        "Latency. A: n = 200, mean 100 ms, from 0 ms to 199 ms; B: n = 2,000"
    )
    assert [row[1:] for row in drawn.rows if row[0] == "A"] == [
        (0.0, 100.0, 100, 0.5),
        (100.0, 200.0, 100, 0.5),
    ]
    assert {row[1:] for row in drawn.rows if row[0] == "B"} >= {(0.0, 100.0, 100, 0.05)}
    assert "150 %" not in texts(drawn)


def test_a_run_that_is_much_faster_than_the_other_fills_one_bin_to_the_brim() -> None:
    fast, slow = latencies([5, 6, 7, 8]), latencies([500, 900, 1500, 2400])

    drawn = distributions({"A": fast, "B": slow}, unit="ms", name="Latency")

    assert [row[1:] for row in drawn.rows if row[0] == "A"] == [(0.0, 100.0, 4, 1.0)]
    shares = [float(text.removesuffix(" %")) for text in texts(drawn) if text.endswith(" %")]
    assert max(shares) == 100


def test_bins_of_two_and_of_two_and_a_half_meet_in_tens() -> None:
    twos, others = a_shape(width=2, bins=5), a_shape(width=2.5, bins=8)

    drawn = distributions({"A": twos, "B": others}, unit="ms", name="Latency")

    assert [row[:4] for row in drawn.rows] == [
        ("A", 0.0, 10.0, 5), ("B", 0.0, 10.0, 4), ("B", 10.0, 20.0, 4),
    ]  # fmt: skip


def test_what_lies_beyond_the_last_bin_is_told_as_it_was_measured() -> None:
    tail, wide = latencies([*range(100), 5000]), latencies(range(0, 4000, 10))

    drawn = distributions({"A": tail, "B": wide}, unit="ms", name="Latency")

    assert f"1 above {tail.edges[-1]:.0f} ms" in drawn.alt
    assert [row[3] for row in drawn.rows if row[0] == "A"][-1] == 1
    assert sum(float(row[4] or 0) for row in drawn.rows if row[0] == "A") == pytest.approx(1)


@pytest.mark.parametrize(("p50", "p95"), [(60, 98), (40, 55), (66, 69), (70, 99), (10, 45)])
def test_labels_of_marks_never_lie_over_each_other(p50: float, p95: float) -> None:
    drawn = histogram(latencies(range(101)), {"p50": p50, "p95": p95}, unit="ms", name="Latency")

    one, other = (_place(label) for label in of_class(drawn, "mlabel"))
    assert one[0] != other[0] or one[2] <= other[1] or other[2] <= one[1]


def _place(label: ET.Element) -> tuple[str, float, float]:
    """Its line, and from where to where of 100 it goes on a narrow screen."""
    x = float(label.get("x", "").removesuffix("%"))
    ends = (x - LETTERS, x) if label.get("text-anchor") == "end" else (x, x + LETTERS)
    return label.get("y", ""), *ends


def a_shape(*, width: float, bins: int) -> Distribution:
    return Distribution(
        edges=tuple(width * place for place in range(bins + 1)),
        counts=(1,) * bins,
        count=bins,
        mean=1,
        minimum=0,
        maximum=width * bins,
    )


def test_a_matrix_says_the_share_of_each_row() -> None:
    confusion = Confusion(true_pass=30, false_pass=10, false_fail=5, true_fail=55)

    drawn = confusion_matrix(confusion, name="Grounding")

    assert drawn.alt == (
        "Grounding, n = 100: of 40 that the judge passes, people pass 30 (75.0 %) and fail 10 "
        "(25.0 %); of 60 that the judge fails, people pass 5 (8.3 %) and fail 55 (91.7 %)"
    )
    assert [row[2] for row in drawn.rows] == [30, 10, 5, 55]


def test_a_diagram_says_its_error_and_who_is_left_out() -> None:
    found = reliability([0.05, 0.05, 0.95, 0.95, 0.5], [0, 0, 1, 1, float("nan")])

    drawn = reliability_diagram(found, name="Judge")

    assert drawn.alt.startswith("Judge, n = 4: expected calibration error 0.05;")
    assert drawn.alt.endswith("left out: 1 with no label")
    assert len(of_class(drawn, "dot")) == 2
    assert len(drawn.rows) == 10


def a_trend(count: int) -> list[TrendPoint]:
    return [TrendPoint(label=f"run {i}", interval=rate(50 + i, 100)) for i in range(count)]


def test_a_trend_says_its_slope_each_run_and_what_changed() -> None:
    drawn = trend_lines(
        a_trend(3), line=(0.5, 0.01), marks={1: "rev 2"}, unit="percent", name="Pass rate"
    )

    assert drawn.alt.startswith("Pass rate, 3 runs. the line changes by +1.0 points a run; run 0: ")
    assert drawn.alt.endswith("rev 2 from run 1 on")
    assert [row[6] for row in drawn.rows] == ["", "rev 2", ""]
    assert len(of_class(drawn, "fit")) == 1


def test_a_trend_keeps_the_place_of_a_run_without_a_value() -> None:
    nothing = Interval(point=None, low=None, high=None, n=0, method="", reason="it failed")
    points = [*a_trend(2), TrendPoint(label="broken", interval=nothing), *a_trend(1)]

    drawn = trend_lines(points, line=None, marks={}, unit="percent", name="Pass rate")

    assert len(of_class(drawn, "gap")) == 1
    assert len(of_class(drawn, "point")) == 3
    assert "broken: No value: it failed" in drawn.alt


def test_a_long_trend_tells_the_newest_runs_and_where_the_others_are() -> None:
    drawn = trend_lines(a_trend(40), line=None, marks={}, unit="percent", name="Pass rate")

    assert "28 earlier runs are in the data" in drawn.alt
    assert len(drawn.rows) == 40


EMPTY = {
    "histogram": histogram(latencies([]), {}, unit="ms", name="Latency"),
    "forest": forest([], unit="points", name="Differences"),
    "scatter": paired_scatter([], [], unit="score", name="Scores"),
    "distributions": distributions({}, unit="score", name="Scores"),
    "matrix": confusion_matrix(
        Confusion(true_pass=0, false_pass=0, false_fail=0, true_fail=0), name="Judge"
    ),
    "reliability": reliability_diagram(reliability([], []), name="Judge"),
    "trend": trend_lines([], line=None, marks={}, unit="percent", name="Pass rate"),
}


@pytest.mark.parametrize("drawn", EMPTY.values(), ids=EMPTY.keys())
def test_a_picture_of_nothing_says_so(drawn: Picture) -> None:
    is_sound(drawn)
    assert len(texts(drawn)) == 1
    assert re.search(r"\b(nothing|no)\b", drawn.alt)


HOSTILE_ONES = {
    "histogram": histogram(scores([0.5]), {HOSTILE: 0.5}, unit="score", name=HOSTILE),
    "forest": forest(
        [a_row(HOSTILE, address=f"/{HOSTILE}", note=HOSTILE)], unit="ms", name=HOSTILE
    ),
    "scatter": paired_scatter([1], [2], unit="ms", name=HOSTILE, labels=(HOSTILE, HOSTILE)),
    "distributions": distributions({HOSTILE: scores([0.5])}, unit="score", name=HOSTILE),
    "matrix": confusion_matrix(
        Confusion(true_pass=1, false_pass=1, false_fail=1, true_fail=1), name=HOSTILE
    ),
    "reliability": reliability_diagram(reliability([0.5], [1]), name=HOSTILE),
    "trend": trend_lines(
        [TrendPoint(label=HOSTILE, interval=rate(1, 2), note=HOSTILE)],
        line=None, marks={0: HOSTILE}, unit="percent", name=HOSTILE,
    ),
}  # fmt: skip


def test_a_trend_names_every_run_below_where_there_is_room() -> None:
    named = [
        TrendPoint(label=f"Support desk, assistant 1.{n}", short=f"1.{n}", interval=rate(n, 9))
        for n in range(5)
    ]

    drawn = trend_lines(named, line=None, marks={}, unit="percent", name="Pass rate")

    assert re.findall(r">(1\.\d)</text>", drawn.svg) == ["1.0", "1.1", "1.2", "1.3", "1.4"]
    assert "Support desk, assistant 1.3: " in drawn.alt


@pytest.mark.parametrize("drawn", HOSTILE_ONES.values(), ids=HOSTILE_ONES.keys())
def test_hostile_text_stays_text(drawn: Picture) -> None:
    is_sound(drawn)
    assert "<script" not in drawn.svg
    assert SHOWN in str(parsed(drawn).get("aria-label"))
    assert re.fullmatch(r"[a-z0-9-]+\.csv", drawn.filename)


def test_the_same_numbers_are_the_same_picture() -> None:
    def drawn() -> Picture:
        return paired_scatter([0.1, 0.2], [0.2, 0.1], unit="score", name="Scores")

    assert drawn() == drawn()


def test_a_spreadsheet_runs_nothing_of_a_picture() -> None:
    drawn = forest([a_row("=cmd|' /C calc'!A0")], unit="points", name="Differences")

    assert "'=cmd" in drawn.csv
