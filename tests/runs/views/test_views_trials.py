"""Pages, API and command of runs with several trials: the same counts, in tries, everywhere."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion
from apps.grading.spec import ContractSpec
from apps.metrics.contracts import Interval
from apps.runs.models import Run
from apps.runs.queries import Figures
from apps.runs.views import panels
from apps.targets.models import Target
from tests import samples
from tests.commands import evalhub
from tests.runs import building
from tests.runs.pages import Opener, words_of

pytestmark = pytest.mark.django_db

START = "/w/demo/runs/start/"
# record by record: 0 passes, 1 and 4 are flaky, 2 fails, 3 has an error beside a pass, then again
OUTCOMES = (
    *[building.PASSED] * 3,
    *[building.PASSED, building.FAILED_CONTRACT, building.PASSED],
    *[building.FAILED_CONTRACT] * 3,
    *[building.PASSED, building.TIMED_OUT, building.PASSED],
    *[building.FAILED_CONTRACT, building.PASSED, building.UNJUDGED],
)


@pytest.fixture
def tried(workspace: Workspace, alice: User) -> Run:
    version = building.make_version(workspace, 30, rejected=1)
    return building.ended_run(workspace, OUTCOMES, by=alice, version=version, trials=3)


@pytest.fixture
def once(workspace: Workspace, alice: User) -> Run:
    version = building.make_version(workspace, 30)
    return building.ended_run(workspace, OUTCOMES, by=alice, version=version)


# -- pages ------------------------------------------------------------------------------------


def test_the_run_page_counts_in_tries_and_says_so(tried: Run, opened: Opener) -> None:
    words = words_of(opened("detail", tried.pk))

    assert "93 tries = 31 records × 3 trials" in words
    assert "Records that pass most of their judged trials pass" in words
    assert "93 total = 90 valid + 3 invalid" in words
    assert "of 90 tries" in words
    assert "of 90 valid tries" in words
    assert "6 tries grouped by cause" in words


def test_the_run_page_shows_each_k_and_the_flaky_records(tried: Run, opened: Opener) -> None:
    page = opened("detail", tried.pk)
    words = words_of(page)

    for k in (1, 2, 3):
        assert f"pass@{k}" in words
        assert f"pass^{k}" in words
    assert "12 flaky records passed in some trials" in words
    assert "ticket-00001 2 of 3 passed" in words
    assert f"/runs/{tried.pk}/results/?flaky=1" in page


def test_a_run_of_one_trial_speaks_of_records_alone(once: Run, opened: Opener) -> None:
    pages = [words_of(opened(name, once.pk)) for name in ("detail", "results", "artifacts")] + [
        words_of(opened("list")),
        words_of(opened("record", once.pk, 0)),
    ]

    for words in pages:
        assert "trial" not in words.lower()
        assert "tries" not in words.lower()
        assert "flaky" not in words.lower()


def test_the_results_of_flaky_records_stand_together(tried: Run, opened: Opener) -> None:
    page = opened("results", tried.pk, query="?flaky=1")

    assert "ticket-00001" in page
    assert "ticket-00004" in page
    assert "ticket-00000" not in page
    assert f"/runs/{tried.pk}/records/1/?flaky=1&amp;trial=2" in page
    assert "2 of 3 passed: record passed" in words_of(page)


def test_a_trial_leads_to_the_others_of_its_record(tried: Run, opened: Opener) -> None:
    page = opened("record", tried.pk, 3, query="?trial=1")
    words = words_of(page)

    assert "Trial 2 of 3" in words
    assert "2 of 2 judged trials" in words
    assert "passes where most of its judged trials pass" in words
    assert f'href="/w/demo/runs/{tried.pk}/records/3/"' in page
    assert f'href="/w/demo/runs/{tried.pk}/records/3/?trial=2"' in page
    assert 'aria-label="Trial 2: timed out" aria-current="true"' in page


def test_a_trial_beyond_the_plan_is_404(tried: Run, once: Run, as_alice: Client) -> None:
    for run, trial in ((tried, 3), (once, 1)):
        answer = as_alice.get(f"/w/demo/runs/{run.pk}/records/0/?trial={trial}")
        assert answer.status_code == 404


def test_several_trials_cost_a_page_few_queries_however_many_they_are(
    once: Run, workspace: Workspace, alice: User, opened: Opener
) -> None:
    version = building.make_version(workspace, 30)
    often = building.ended_run(workspace, OUTCOMES, by=alice, version=version, trials=20)
    opened("list")  # the first page also keeps the session

    def queries(run: Run, *page: Any, query: str = "") -> int:
        with CaptureQueriesContext(connection) as asked:
            opened(page[0], run.pk, *page[1:], query=query)
        return len(asked)

    assert queries(often, "detail") <= queries(once, "detail") + 2
    assert queries(often, "results", query="?flaky=1") <= queries(once, "results") + 1
    assert queries(often, "record", 1) <= queries(once, "record", 1) + 1


# -- the start --------------------------------------------------------------------------------


def test_the_form_starts_as_many_trials_as_were_chosen(
    as_alice: Client, tickets: DatasetVersion, assistant: Target
) -> None:
    as_alice.post(START, {"version": tickets.pk, "target": assistant.pk, "trials": "4"})

    run = Run.objects.get()
    assert (run.trials, run.planned, run.valid_records) == (4, 48, 12)


@pytest.mark.parametrize("given", ["0", "21", "-1", "many", "1.5"])
def test_the_form_takes_1_to_20_trials(
    given: str, as_alice: Client, tickets: DatasetVersion, assistant: Target
) -> None:
    choices = {"version": tickets.pk, "target": assistant.pk, "trials": given}

    started = as_alice.post(START, {"action": "start", **choices})
    estimated = as_alice.post(START, {"action": "estimate", **choices})

    assert started.status_code == 200
    assert not Run.objects.exists()
    assert "12" in words_of(estimated.content.decode())


def test_the_estimate_of_the_form_multiplies(
    as_alice: Client, tickets: DatasetVersion, assistant: Target
) -> None:
    answer = as_alice.post(
        START,
        {"action": "estimate", "version": tickets.pk, "target": assistant.pk, "trials": "5"},
        headers={"HX-Request": "true", "HX-Target": "estimate"},
    )

    words = words_of(answer.content.decode())
    assert "12 × 5 trials" in words
    assert "Calls to the target 60" in words


def test_a_clone_has_the_trials_of_the_run(tried: Run, opened: Opener) -> None:
    assert 'name="trials" value="3"' in opened("start", query=f"?clone={tried.pk}")


# -- programs ---------------------------------------------------------------------------------


def api(client: Client, user: User, workspace: Workspace, address: str) -> Any:
    bearer = samples.bearer_of(user, workspace)
    answer = client.get(f"/api/v1/runs{address}", headers=bearer)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_the_api_says_that_it_counts_in_tries(
    tried: Run, client: Client, alice: User, workspace: Workspace
) -> None:
    run = api(client, alice, workspace, f"/{tried.pk}")
    listed = api(client, alice, workspace, "")["results"][0]

    assert (run["trials"], run["counted_in"]) == (3, "tries")
    assert run["counts"]["total_records"] == 93
    assert {"pass@1", "pass^3", "pass@3:errors_as_fails", "flaky_records"} <= run["metrics"].keys()
    assert (listed["trials"], listed["total_records"], listed["valid_records"]) == (3, 31, 30)
    assert [check["metric"] for check in run["checks"]] == ["record_pass_rate", "latency_p95"]


def test_the_api_lists_the_results_of_flaky_records(
    tried: Run, client: Client, alice: User, workspace: Workspace
) -> None:
    found = api(client, alice, workspace, f"/{tried.pk}/results?flaky=1")["results"]
    others = api(client, alice, workspace, f"/{tried.pk}/results?flaky=0")["results"]

    assert [(each["record_id"], each["trial"]) for each in found[:4]] == [
        ("ticket-00001", 0),
        ("ticket-00001", 1),
        ("ticket-00001", 2),
        ("ticket-00004", 0),
    ]
    assert len(found) == 36
    assert others[0]["record_id"] == "ticket-00000"


def test_the_api_refuses_more_trials_than_20(
    client: Client, alice: User, workspace: Workspace
) -> None:
    version, target = samples.make_version(workspace), samples.make_target(workspace)
    bearer = samples.bearer_of(alice, workspace)
    address = f"/api/v1/dataset-versions/{version.pk}/runs?target={target.name}&trials="

    refused = client.post(f"{address}21", headers=bearer)
    taken = client.post(f"{address}2", headers=bearer)

    assert refused.status_code == 400
    assert refused.json()["error"]["message"] == "trials should be less than or equal to 20."
    assert taken.status_code == 202
    assert Run.objects.get().planned == 6


def test_the_command_tries_each_record_and_counts_the_tries(workspace: Workspace) -> None:
    samples.make_version(workspace)
    samples.make_target(workspace)
    samples.make_contract(workspace)

    told = evalhub(
        "run", "qa", "--target", "model", "--contract", "exact", "--trials", "3", "--wait"
    )

    assert told.status == 0
    assert "9 tries = 9 valid + 0 invalid (3 records, 3 trials each)" in told.out
    assert "pass^3: 1" in told.out


def test_the_command_refuses_no_trial(workspace: Workspace) -> None:
    samples.make_version(workspace)
    samples.make_target(workspace)

    told = evalhub("run", "qa", "--target", "model", "--trials", "0")

    assert told.status == 2
    assert "trials should be greater than or equal to 1" in told.err


# -- thresholds -------------------------------------------------------------------------------


def test_every_threshold_is_said_in_its_own_unit() -> None:
    spec = ContractSpec.model_validate(
        {
            "rules": [{"type": "exact_match", "name": "exact"}],
            "thresholds": {
                "score": {"at_least": 0.7},
                "worst_slice": {"at_least": 0.6},
                "cost": {"at_most": 0.002},
            },
        }
    )
    worst = _measured(0.7, 0.55, 0.8).model_copy(update={"reason": "tag: refund (n = 25)"})
    figures = Figures(
        {
            "score_mean": _measured(0.75, 0.71, 0.8),
            "worst_slice": worst,
            "cost_mean": _measured(0.0015, 0.001, 0.002),
        },
        {},
        None,
    )

    score, slices, cost = panels.checks(spec, figures)

    assert (score.tone, score.wanted, score.found) == (
        "ok",
        "≥ 0.70, lower bound of the interval",
        "0.71",
    )
    assert (slices.tone, slices.found, slices.check.reason) == (
        "warn",
        "55.0 %",
        "tag: refund (n = 25)",
    )
    assert (cost.tone, cost.wanted, cost.found) == ("ok", "≤ $0.0020, as measured", "$0.0015")


def test_the_run_page_names_the_worst_slice(
    workspace: Workspace, alice: User, opened: Opener
) -> None:
    run = building.ended_run(
        workspace,
        by=alice,
        version=building.make_version(workspace, 120),
        contract=building.demanding_contract(workspace),
    )

    words = words_of(opened("detail", run.pk))

    assert "Worst slice" in words
    assert "lower bound of the interval · " in words
    assert "(n = " in words


def test_an_undecided_tile_does_not_claim_an_interval() -> None:
    unknown = Figures({}, {}, None)
    spec = ContractSpec.model_validate(
        {
            "rules": [{"type": "exact_match", "name": "exact"}],
            "thresholds": {"worst_slice": {"at_least": 0.6}},
        }
    )

    tile = panels.checked(panels.checks(spec, unknown))

    assert (tile.words, tile.note) == ("1 not known", "no figure to check")


def _measured(point: float, low: float, high: float) -> Interval:
    return Interval(point=point, low=low, high=high, n=100, method="test")
