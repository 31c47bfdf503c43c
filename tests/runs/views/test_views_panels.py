"""What the panels of the run page say: thresholds, intervals and slices in words and tones."""

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.grading.rules import ExactMatch
from apps.grading.spec import AtLeast, AtMostMs, ContractSpec, Thresholds
from apps.metrics.contracts import Interval
from apps.metrics.intervals import rate
from apps.runs.models import Run
from apps.runs.queries import Figures
from apps.runs.queries.figures import SliceRow
from apps.runs.views import panels
from apps.runs.words import cause_title
from tests.runs import building

SPEC = ContractSpec(
    rules=(ExactMatch(name="exact"),),
    thresholds=Thresholds(pass_rate=AtLeast(at_least=0.8), latency_p95_ms=AtMostMs(at_most=1_800)),
)


def figures(passed: int, tries: int, p95: float | None) -> Figures:
    latency = Interval(
        point=p95, low=None, high=None, n=tries, method="", reason="too few for a bound"
    )
    return Figures({"pass_rate": rate(passed, tries), "latency_p95": latency}, {}, None)


@pytest.mark.parametrize(
    ("found", "tile"),
    [
        (figures(95, 100, 900), ("2", "/ 2", "", "all hold")),
        (figures(50, 100, 900), ("1", "/ 2", "1 failing", "pass rate")),
        (figures(50, 100, 1_900), ("0", "/ 2", "2 failing", "pass rate, latency p95")),
        (figures(82, 100, 900), ("1", "/ 2", "1 unsure", "the intervals lie on both sides")),
        (figures(82, 100, 1_900), ("0", "/ 2", "1 failing, 1 unsure", "latency p95")),
    ],
)
def test_the_tile_of_checks_sums_them_up(found: Figures, tile: tuple[str, ...]) -> None:
    summed = panels.checked(panels.checks(SPEC, found))

    assert (summed.held, summed.all, summed.words, summed.note) == tile


def test_a_check_says_what_was_wanted_and_what_was_found() -> None:
    rates, latency = panels.checks(SPEC, figures(50, 100, 1_900))

    assert (rates.tone, rates.wanted) == ("bad", "≥ 80.0 %, lower bound of the interval")
    assert (latency.tone, latency.wanted) == ("bad", "≤ 1.80 s, as measured")
    assert latency.found == "1.90 s"


def test_without_a_contract_nothing_is_checked() -> None:
    assert panels.checks(None, figures(1, 1, 1)) == []
    assert panels.checked([]).held == "–"


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.8, 0.9, "95 % CI 80.0 – 90.0"),
        (0.8, None, "95 % CI from 80.0"),
        (None, 0.9, "95 % CI up to 90.0"),
        (None, None, "no interval yet"),
    ],
)
def test_a_bound_that_is_not_known_is_left_out(
    low: float | None, high: float | None, words: str
) -> None:
    one = Interval(point=0.85, low=low, high=high, n=3, method="wilson", reason="few")

    assert panels.interval_words(one, "percent") == words


@pytest.mark.parametrize(
    ("passed", "tries", "tone"),
    [(400, 410, "ok"), (100, 400, "bad"), (330, 400, "warn"), (19, 19, "neutral")],
)
def test_a_slice_is_held_against_the_contract_by_its_own_interval(
    passed: int, tries: int, tone: str
) -> None:
    row = SliceRow("German", tries, {"pass_rate": rate(passed, tries)})

    assert panels.slice_tone(row, SPEC.thresholds.pass_rate) == tone
    assert panels.slice_tone(row, None) == "neutral"


def test_a_slice_of_several_trials_needs_as_many_records() -> None:
    def judged(tries: int) -> SliceRow:
        return SliceRow("German", 90, {"pass_rate": rate(tries, tries)}, trials=3)

    assert judged(57).too_few
    assert not judged(60).too_few


def test_a_cause_that_has_no_words_yet_reads_as_itself() -> None:
    assert cause_title("timeout", "timeout") == "Timed out"
    assert cause_title("evaluation_error", "new_kind") == "New kind"
    assert cause_title("evaluation_error", "") == "Evaluation error"


@pytest.mark.django_db
def test_the_admin_shows_runs_and_changes_none(
    client: Client, ada: User, workspace: Workspace
) -> None:
    run: Run = building.ended_run(workspace, name="v14 prompt")
    User.objects.filter(pk=ada.pk).update(is_staff=True, is_superuser=True)
    client.force_login(User.objects.get(pk=ada.pk))

    listed = client.get("/admin/runs/run/").content.decode()
    changed = client.post(f"/admin/runs/run/{run.pk}/change/", {"name": "other"})

    assert "v14 prompt" in listed
    assert changed.status_code == 403


def test_rules_of_the_data_stand_behind_those_of_the_contract_by_how_many_they_judged() -> None:
    numbers = {f"rule:{name}:pass_rate": rate(1, n) for name, n in [("a", 2), ("b", 9), ("x", 3)]}
    found = Figures({**numbers, "rule:exact:pass_rate": rate(4, 5)}, {}, None)

    panel = panels.rules(SPEC, found, {"x"})

    assert [(line.name, line.tag, line.missed) for line in panel["lines"]] == [
        ("exact", "blocking", "exact:fail"),
        ("b", "from the data", "b:missed"),
        ("a", "from the data", "a:missed"),
    ]
    assert panel["more"] == 0


def test_of_very_many_rules_of_the_data_the_rest_is_counted() -> None:
    numbers = {f"rule:r{number}:pass_rate": rate(1, 2) for number in range(100)}

    panel = panels.rules(None, Figures(numbers, {}, None))

    assert len(panel["lines"]) == 30
    assert panel["more"] == 70
