"""Charts: what they show, what they say to those who do not see them, and that they are safe."""

import re
from xml.etree import ElementTree as ET

import pytest

from apps.metrics.contracts import Interval
from apps.metrics.distributions import latencies, scores
from apps.metrics.intervals import mean, percentile, rate
from apps.web.charts import AxisRange, Segment, axis, axis_range, histogram, progress_bar, whisker

HOSTILE = '<script>alert("x")</script>\' onload=1 &'


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def of_class(svg: str, name: str) -> list[ET.Element]:
    return [one for one in parsed(svg).iter() if name in one.get("class", "").split()]


def per_cent(element: ET.Element, attribute: str) -> float:
    return float(element.get(attribute, "").removesuffix("%"))


def test_a_whisker_says_all_its_numbers() -> None:
    svg = parsed(whisker(rate(862, 1000), 0.6, 1, target=0.8, baseline=0.84, tone="ok"))

    label = (
        "86.2 %, 95 % confidence interval 83.9 % to 88.2 %, n = 1,000, "
        "target 80.0 %, baseline 84.0 %"
    )
    assert (svg.get("role"), svg.get("class")) == ("img", "whisker ok")
    assert svg.get("aria-label") == label
    assert svg.findtext("title") == label


def test_a_whisker_lies_where_its_numbers_are() -> None:
    interval = Interval(point=0.8, low=0.7, high=0.9, n=50, method="wilson")

    svg = whisker(interval, 0.6, 1, target=0.65, baseline=0.75)

    assert per_cent(of_class(svg, "dot")[0], "cx") == 50
    assert [per_cent(of_class(svg, "ci")[0], end) for end in ("x1", "x2")] == [25, 75]
    assert [per_cent(cap, "x1") for cap in of_class(svg, "cap")] == [25, 75]
    assert per_cent(of_class(svg, "target")[0], "x1") == 12.5
    assert per_cent(of_class(svg, "base")[0], "cx") == 37.5


def test_a_whisker_without_a_value_gives_the_reason_and_draws_no_dot() -> None:
    svg = whisker(rate(0, 0), 0, 1, target=0.8)

    assert parsed(svg).get("aria-label") == "No value: nothing was observed"
    assert (of_class(svg, "dot"), of_class(svg, "ci")) == ([], [])
    assert len(of_class(svg, "target")) == 1


def test_an_unknown_bound_runs_to_the_edge_without_a_cap() -> None:
    svg = whisker(percentile(range(1, 31), 0.95), 0, 40, unit="ms")

    assert per_cent(of_class(svg, "ci")[0], "x2") == 100
    assert len(of_class(svg, "cap")) == 1
    assert "to unknown" in parsed(svg).get("aria-label", "")


def test_a_bound_off_the_axis_has_no_cap() -> None:
    interval = Interval(point=0.8, low=0.3, high=0.9, n=5, method="wilson")

    svg = whisker(interval, 0.6, 1)

    assert per_cent(of_class(svg, "ci")[0], "x1") == 0
    assert len(of_class(svg, "cap")) == 1


def test_a_point_without_an_interval_is_a_dot_that_says_so() -> None:
    svg = whisker(mean([0.5]), 0, 1, unit="score")

    assert parsed(svg).get("aria-label") == "0.50, no interval: one value has no interval, n = 1"
    assert (len(of_class(svg, "dot")), of_class(svg, "ci")) == (1, [])


def test_an_axis_has_its_labels_at_even_places() -> None:
    svg = axis(0.6, 1, 5)

    labels = [(per_cent(one, "x"), one.text) for one in parsed(svg).iter("text")]
    assert labels == [(0, "60 %"), (25, "70 %"), (50, "80 %"), (75, "90 %"), (100, "100 %")]
    assert parsed(svg).get("aria-label") == "Axis from 60 % to 100 %"


@pytest.mark.parametrize(
    ("ends", "also", "expected"),
    [
        ([(0.72, 0.91)], [], AxisRange(low=0.7, high=0.95, ticks=6)),
        ([(0.62, 0.97)], [], AxisRange(low=0.6, high=1.0, ticks=5)),
        ([(0.86, 0.88)], [0.8], AxisRange(low=0.8, high=0.9, ticks=3)),
        ([(0.99, 1.0)], [], AxisRange(low=0.9, high=1.0, ticks=3)),
        ([(0.0, 0.004)], [], AxisRange(low=0.0, high=0.1, ticks=3)),
        ([(0.05, 0.96)], [None], AxisRange(low=0.0, high=1.0, ticks=6)),
        ([], [], AxisRange(low=0.0, high=1.0, ticks=6)),
    ],
)
def test_an_axis_of_rates_is_round_and_holds_everything(
    ends: list[tuple[float, float]], also: list[float | None], expected: AxisRange
) -> None:
    intervals = [
        Interval(point=low, low=low, high=high, n=50, method="wilson") for low, high in ends
    ]

    assert axis_range(intervals, also=also) == expected


def test_an_axis_of_latencies_is_round_as_well() -> None:
    found = axis_range([percentile(range(310, 990), 0.5)], also=[1200], unit="ms")

    assert (found.low, found.high) == (600, 1200)
    assert 'aria-label="Axis from 0.6 s to 1.2 s"' in axis(
        found.low, found.high, found.ticks, unit="ms"
    )


def test_equal_values_still_have_an_axis_to_lie_on() -> None:
    found = axis_range([mean([7.0] * 30)], unit="score")

    assert found.low <= 7 <= found.high
    assert found.ticks >= 3


def test_a_histogram_says_what_it_shows() -> None:
    shape = latencies([*range(100, 1100), 60_000])

    svg = parsed(histogram(shape, {"p50": 600, "p95": 1050}, unit="ms", name="Latency").svg)

    assert svg.get("role") == "img"
    assert svg.get("aria-label") == (
        "Latency, n = 1,001: mean 659 ms, from 100 ms to 60.00 s, p50 600 ms, p95 1.05 s, "
        "1 above 2.10 s"
    )


def test_a_histogram_has_a_bar_for_each_bin_that_holds_something() -> None:
    shape = scores([0.05, 0.05, 0.55, 1.0])

    svg = histogram(shape, {}, unit="score", name="Score").svg

    bars = of_class(svg, "hb")
    assert [bar.findtext("title") for bar in bars] == [
        "0.00 to 0.10: 2", "0.50 to 0.60: 1", "0.90 to 1.00: 1",
    ]  # fmt: skip
    heights = [float(bar.get("height", "")) for bar in bars]
    assert heights[0] == pytest.approx(2 * heights[1], abs=0.2)


def test_bars_from_the_limit_on_stand_out() -> None:
    shape = latencies(range(0, 3000, 10))

    svg = histogram(shape, {"p95": 2840}, unit="ms", name="Latency", slow_from=2840).svg

    assert [bar.findtext("title") for bar in of_class(svg, "slow")] == ["2.90 s to 3.00 s: 10"]
    assert histogram(shape, {}, unit="ms", name="Latency").svg.count("slow") == 0


def test_one_record_among_many_still_has_a_visible_bar() -> None:
    shape = scores([0.55] * 50_000 + [0.05])

    bars = of_class(histogram(shape, {}, unit="score", name="Score").svg, "hb")

    assert [float(bar.get("height", "")) >= 1 for bar in bars] == [True, True]


def test_marks_that_would_touch_are_written_below_each_other() -> None:
    shape = latencies(range(0, 3000, 10))

    svg = histogram(shape, {"p50": 1500, "p95": 1550, "max": None}, unit="ms", name="Latency").svg

    labels = of_class(svg, "mlabel")
    assert [label.text for label in labels] == ["p50 1.50 s", "p95 1.55 s"]
    assert labels[0].get("y") != labels[1].get("y")


def test_an_empty_histogram_says_so() -> None:
    svg = histogram(latencies([]), {"p50": None}, unit="ms", name="Latency").svg

    assert parsed(svg).get("aria-label") == "Latency: no values yet"
    assert "No values yet" in svg


def test_a_progress_bar_is_in_proportion_and_says_its_counts() -> None:
    svg = progress_bar(
        [
            Segment("scored", 60, "ok"),
            Segment("failed", 15, "bad"),
            Segment("waiting", 25, "neutral"),
        ]
    )

    bars = list(parsed(svg).iter("rect"))
    assert [(bar.get("class"), per_cent(bar, "x"), per_cent(bar, "width")) for bar in bars] == [
        ("ok", 0, 60), ("bad", 60, 15), ("neutral", 75, 25),
    ]  # fmt: skip
    assert parsed(svg).get("aria-label") == "60 scored, 15 failed, 25 waiting of 100"


def test_a_single_failure_is_seen_and_the_bar_stays_full() -> None:
    svg = progress_bar([Segment("scored", 49_999, "ok"), Segment("failed", 1, "bad")])

    widths = [per_cent(bar, "width") for bar in parsed(svg).iter("rect")]
    assert widths[1] == 0.35
    assert sum(widths) == pytest.approx(100)


@pytest.mark.parametrize("segments", [[], [Segment("scored", 0, "ok")]])
def test_a_progress_bar_of_nothing_is_empty(segments: list[Segment]) -> None:
    assert list(parsed(progress_bar(segments)).iter("rect")) == []


@pytest.mark.parametrize(
    "svg",
    [
        whisker(Interval(point=None, low=None, high=None, n=0, method="", reason=HOSTILE), 0, 1),
        histogram(scores([0.5]), {HOSTILE: 0.5}, unit="score", name=HOSTILE).svg,
        progress_bar([Segment(HOSTILE, 3, "ok")]),
    ],
)
def test_hostile_text_stays_text(svg: str) -> None:
    elements = {one.tag for one in parsed(svg).iter()}

    assert elements <= {"svg", "title", "line", "circle", "rect", "text"}
    assert "<script" not in svg
    assert HOSTILE in parsed(svg).get("aria-label", "")


def test_no_chart_needs_a_style_or_a_script() -> None:
    drawn = [
        whisker(rate(8, 10), 0, 1, target=0.8, baseline=0.7, tone="warn"),
        axis(0, 1, 6),
        histogram(latencies(range(100)), {"p50": 50}, unit="ms", name="Latency").svg,
        progress_bar([Segment("scored", 3, "ok")]),
    ]

    for svg in drawn:
        assert not re.search(r"\s(style|on\w+|href|fill|stroke)=", svg)
        assert parsed(svg).get("role") == "img"
        assert parsed(svg).get("aria-label")
