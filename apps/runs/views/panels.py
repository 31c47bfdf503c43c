"""The panels of the run page: stored numbers in, what their templates show out."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from apps.contract import Contract
from apps.grading.checks import Check, check_thresholds
from apps.grading.rules import Rule
from apps.grading.spec import AtLeast, ContractSpec
from apps.metrics.contracts import Interval
from apps.runs.later.calibrated import Held
from apps.runs.models import Result, Run
from apps.runs.queries import Counts, Figures, Progress, families_of, slices_of
from apps.runs.queries.figures import SliceRow, SliceView
from apps.runs.queries.progress import Group, newest_failures
from apps.runs.queries.results import MISSED
from apps.web.charts import AxisRange, Segment, axis_range
from apps.web.states import Tone
from apps.web.templatetags.formats import cost, decimal, milliseconds, percent

FAMILIES_SHOWN = 4
DATA_RULES_SHOWN = 30
KEY_FIGURES = (
    *("pass_rate", "score_mean", "latency_p50", "latency_p95", "failure_rate"),
    *("cost_sum", "cost_mean", "input_tokens_sum", "output_tokens_sum"),
)
_NOT_HELD = (("fail", "failing"), ("unsure", "unsure"), ("unknown", "not known"))
CHECK_TONES: dict[str, Tone] = {"pass": "ok", "fail": "bad", "unsure": "warn", "unknown": "neutral"}
_BY = {
    "lower": "lower bound of the interval",
    "upper": "upper bound of the interval",
    "point": "as measured",
}
_UNITS = {"latency_p95": milliseconds, "cost_mean": cost, "score_mean": decimal}
_UNITS |= {"record_score_mean": decimal}
"""How a check says its limit and what was found; rates are percentages."""
WORDS: dict[Tone, str] = {"ok": "Pass", "warn": "Unsure", "bad": "Fail", "neutral": ""}


@dataclass(frozen=True)
class RulePanel:
    """One rule with how its scores came out; `missed` filters for what is below its threshold.

    `held` is what people found of a judge; None where nobody has looked.
    """

    name: str
    title: str
    tag: str
    missed: str
    pass_rate: Interval
    mean: Interval
    unscored: Interval
    asks_judge: bool = False
    held: Held | None = None


class ShownCheck(Contract):
    """A threshold in words: what was wanted, what was found."""

    check: Check
    tone: Tone
    wanted: str
    found: str


class Checked(Contract):
    """The tile that sums the checks up."""

    held: str
    all: str
    words: str
    tone: str
    note: str


@dataclass(frozen=True)
class Failure:
    """A group of failures and the last of them."""

    group: Group
    newest: Result | None


@dataclass(frozen=True)
class SliceLine:
    row: SliceRow
    tone: Tone

    @property
    def word(self) -> str:
        return WORDS[self.tone]

    @property
    def pass_rate(self) -> Interval:
        return self.row.of("pass_rate")

    @property
    def score_mean(self) -> Interval:
        return self.row.of("score_mean")

    @property
    def latency_p95(self) -> Interval:
        return self.row.of("latency_p95")

    @property
    def cost(self) -> Interval:
        return self.row.of("cost_sum")


def segments(progress: Progress) -> list[Segment]:
    parts: list[Segment] = [
        Segment("scored", progress.scored, "ok"),
        Segment("retrying", progress.retrying, "warn"),
        Segment("failed", progress.failed, "bad"),
        Segment("waiting or skipped", progress.waiting + progress.skipped, "neutral"),
    ]
    return parts


def key_figures(figures: Figures) -> dict[str, Any]:
    return {name: figures.of(name) for name in KEY_FIGURES}


def notes(figures: Figures) -> dict[str, str]:
    """What stands under the figures: the interval and what it stands on, or why there is none."""
    passed, score = figures.of("pass_rate"), figures.of("score_mean")
    p50, p95 = figures.of("latency_p50").point, figures.of("latency_p95")
    return {
        "pass_rate": f"{interval_words(passed, 'percent')} · n = {passed.n:,}",
        "score_mean": f"{interval_words(score, 'score')} · n = {score.n:,}",
        "latency_p95": f"{interval_words(p95, 'ms')} · p50 {milliseconds(p50)}",
    } | {
        name: figures.of(name).reason
        for name in ("pass_rate", "score_mean", "latency_p95")
        if figures.of(name).point is None
    }


def interval_words(one: Interval, unit: str) -> str:
    """95 % CI 85.9 – 86.5; with few values a bound may not be known."""
    low, high = (None if bound is None else _in_unit(bound, unit) for bound in (one.low, one.high))
    if low and high:
        return f"95 % CI {low} – {high}"
    if low or high:
        return f"95 % CI from {low}" if low else f"95 % CI up to {high}"
    return "no interval yet"


def _in_unit(value: float, unit: str) -> str:
    if unit == "ms":
        return milliseconds(value)
    return decimal(100 * value, 1) if unit == "percent" else decimal(value)


def checks(spec: ContractSpec | None, figures: Figures) -> list[ShownCheck]:
    if spec is None:
        return []
    return [
        ShownCheck(
            check=check,
            tone=CHECK_TONES[check.verdict],
            wanted=f"{'≥' if check.at_least else '≤'} {_said(check, check.limit)}, {_BY[check.by]}",
            found=_said(check, check.bound),
        )
        for check in check_thresholds(spec.thresholds, figures.metrics)
    ]


def checked(found: list[ShownCheck]) -> Checked:
    if not found:
        return Checked(held="–", all="", words="", tone="", note="no threshold on the whole run")
    broken = [each.check.title.lower() for each in found if each.tone == "bad"]
    counted: Counter[str] = Counter(each.check.verdict for each in found)
    words = ", ".join(f"{counted[each]} {word}" for each, word in _NOT_HELD if counted[each])
    return Checked(
        held=str(counted["pass"]),
        all=f"/ {len(found)}",
        words=words,
        tone="bad" if broken else "warn" if words else "",
        note=", ".join(broken) or _why_open(counted),
    )


def _why_open(counted: Counter[str]) -> str:
    if counted["unsure"]:
        return "the intervals lie on both sides"
    return "no figure to check" if counted["unknown"] else "all hold"


def rules(
    spec: ContractSpec | None,
    figures: Figures,
    given_elsewhere: Collection[str] = (),
    held: Mapping[str, Held] = MappingProxyType({}),
) -> dict[str, Any]:
    """The contract's rules in their order, then those that came with the data, by how many."""
    judges = {rule.name for rule in (spec.judge_rules if spec else ())}
    own = [
        replace(
            _of_contract(rule, figures), asks_judge=rule.name in judges, held=held.get(rule.name)
        )
        for rule in (spec.rules if spec else ())
    ]
    names = {line.name for line in own}
    others = [
        _of_data(name, figures)
        for name in _judged_names(figures)
        if name not in names and name not in given_elsewhere
    ]
    others.sort(key=lambda line: (-line.pass_rate.n, line.name))
    shown = [*own, *others[:DATA_RULES_SHOWN]]
    known = [line.pass_rate for line in shown if line.pass_rate.point is not None]
    return {
        "lines": shown,
        "more": max(0, len(others) - DATA_RULES_SHOWN),
        "scale": axis_range(known),
    }


def _of_contract(rule: Rule, figures: Figures) -> RulePanel:
    tag, missed = ("blocking", "fail") if rule.decides else ("warning", "warn")
    return _rule_panel(rule.name, rule.title, tag, missed, figures)


def _of_data(name: str, figures: Figures) -> RulePanel:
    return _rule_panel(name, "A rule that came with the data", "from the data", MISSED, figures)


def _rule_panel(name: str, title: str, tag: str, missed: str, figures: Figures) -> RulePanel:
    metric = f"rule:{name}"
    return RulePanel(
        name=name,
        title=title,
        tag=tag,
        missed=f"{name}:{missed}",
        pass_rate=figures.of(f"{metric}:pass_rate"),
        mean=figures.of(f"{metric}:mean"),
        unscored=figures.of(f"{metric}:unscored"),
    )


def _judged_names(figures: Figures) -> list[str]:
    found = (name.split(":", 1)[1] for name in figures.metrics if name.startswith("rule:"))
    ends = ":pass_rate"
    return [name.removesuffix(ends) for name in found if name.endswith(ends)]


def share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def failures(run: Run, counts: Counts) -> list[Failure]:
    """The groups that failed, the largest first, each with its newest; one query where any did."""
    newest = newest_failures(run) if counts.failures else {}
    return [Failure(group, newest.get((group.status, group.cause))) for group in counts.failures]


def slices(run: Run, view: SliceView, spec: ContractSpec | None) -> dict[str, Any]:
    """The families and one page of slices; two queries."""
    families = families_of(run)
    names = [family.name for family in families]
    chosen = view.family if view.family in names else next(iter(names), "")
    page = slices_of(run, view._replace(family=chosen))
    wanted = (spec.thresholds.worst_slice or spec.thresholds.pass_rate) if spec else None
    lines = [SliceLine(row, slice_tone(row, wanted)) for row in page.rows]
    limit = wanted.at_least if wanted else None
    return {
        "families": families,
        "family": next((family for family in families if family.name == chosen), None),
        "family_is_further": chosen in names[FAMILIES_SHOWN:],
        "slice_page": page,
        "slice_pages": range(1, page.pages + 1),
        "slice_lines": lines,
        "slice_scale": _scale([line.pass_rate for line in lines], limit),
        "slice_limit": limit,
    }


def _said(check: Check, value: float | None) -> str:
    return _UNITS.get(check.metric, percent)(value)


def _scale(intervals: list[Interval], limit: float | None) -> AxisRange:
    return axis_range([one for one in intervals if one.point is not None], also=[limit])


def slice_tone(row: SliceRow, wanted: AtLeast | None) -> Tone:
    """Against the contract's threshold on slices or on all, with the slice's own interval."""
    rate = row.of("pass_rate")
    if wanted is None or row.too_few or rate.low is None or rate.high is None:
        return "neutral"
    if rate.low >= wanted.at_least:
        return "ok"
    return "bad" if rate.high < wanted.at_least else "warn"
