"""Gates over the API: who may decide what, and that nothing leaks."""

from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.analysis.gates.policies.baselines import current_run
from apps.analysis.models import GateDecision, GatePolicy
from apps.datasets.models import DatasetVersion
from apps.runs.models import Run
from tests.labeling.building import labels_blind
from tests.runs.building import PASSED, make_version, queued_run, running_run

from .building import MARGIN, a_decision, a_policy, a_run, approved

GATES = "/api/v1/gates"
POLICIES = "/api/v1/gate-policies"


@pytest.fixture
def run(workspace: Workspace, version: DatasetVersion) -> Run:
    return a_run(workspace, 180, 20, version=version, name="candidate")


@pytest.fixture
def policy(workspace: Workspace) -> GatePolicy:
    return a_policy(workspace)


@pytest.fixture
def alices(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def _post(client: Client, address: str, body: Any, status: int = 201) -> Any:
    answer = client.post(address, body, content_type="application/json")
    assert answer.status_code == status, answer.content.decode()[:2_000]
    return answer.json()


def _get(client: Client, address: str, status: int = 200) -> Any:
    answer = client.get(address)
    assert answer.status_code == status, answer.content.decode()[:2_000]
    return answer.json()


def test_a_lead_decides_and_reads_it_again(
    alices: Client, alice: User, run: Run, policy: GatePolicy
) -> None:
    told = _post(alices, GATES, {"run": run.pk, "change_id": "v2"})

    decision = GateDecision.objects.get()
    assert (told["decision_id"], told["verdict"], told["answer"]) == (decision.pk, "pass", "pass")
    assert (told["change_id"], told["gate"], told["blocking_reason"]) == ("v2", "releases", None)
    assert told["decided_by"] == alice.label
    assert decision.via == "api"
    assert decision.request_id
    assert _get(alices, f"{GATES}/{decision.pk}") == told


def test_policy_and_baseline_are_named(
    alices: Client, workspace: Workspace, run: Run, version: DatasetVersion
) -> None:
    a_policy(workspace, "other")
    policy = a_policy(workspace, **MARGIN)
    before = a_run(workspace, 120, 80, version=version)

    told = _post(alices, GATES, {"run": run.pk, "policy": "releases", "baseline": before.pk})

    assert (told["verdict"], told["policy"]["id"]) == ("pass", policy.pk)
    assert told["baseline"]["id"] == before.pk
    assert told["shared"] == {
        "shared": 200,
        "only_baseline": 0,
        "only_candidate": 0,
        "repeated": 0,
    }


def test_links_have_the_address_that_was_asked_or_the_one_that_an_admin_has_set(
    alices: Client, run: Run, policy: GatePolicy, settings: LazySettings
) -> None:
    address = f"{GATES}/{a_decision(run, policy).pk}"

    by_host = _get(alices, address)
    settings.BASE_URL = "https://evalhub.example.org"
    by_setting = _get(alices, address)

    for told, server in ((by_host, "http://testserver"), (by_setting, settings.BASE_URL)):
        assert told["links"]["decision"].startswith(f"{server}/w/demo/gates/decisions/")
        assert told["checks"][0]["links"][0]["page"].startswith(f"{server}/w/demo/runs/")
    assert by_host["links"]["comparison"] is None


def test_a_decision_leads_to_both_runs_side_by_side(
    alices: Client, workspace: Workspace, run: Run, version: DatasetVersion
) -> None:
    before = a_run(workspace, 180, 20, version=version)
    decision = a_decision(run, a_policy(workspace, **MARGIN), before)

    links = _get(alices, f"{GATES}/{decision.pk}")["links"]

    assert f"/w/demo/compare/?run={before.pk}&run={run.pk}" in links["comparison"]
    assert links["worse"].endswith(f"&baseline={before.pk}&move=worse")


@pytest.mark.parametrize(
    "body",
    [
        [],
        "run",
        {},
        {"run": None},
        {"run": ["x"]},
        {"run": "x\0"},
        {"run": "x" * 500},
        {"run": {"a": 1}},
    ],
)
def test_a_body_that_names_no_run_is_refused(alices: Client, policy: GatePolicy, body: Any) -> None:
    told = _post(alices, GATES, body, 400)

    assert told["error"]["code"] == "invalid_request"


def test_a_key_that_there_is_not_is_refused_by_its_name(
    alices: Client, run: Run, policy: GatePolicy
) -> None:
    spec = {"metrics": [{"metric": "pass_rate", "at_least": 0.5}]}
    decision = a_decision(run, policy)
    bodies: dict[str, dict[str, Any]] = {
        GATES: {"run": run.pk, "base_line": run.pk},
        f"{GATES}/{decision.pk}/override": {"answer": "pass", "reason": "x", "by": "ada"},
        POLICIES: {"name": "other", "spec": spec, "archived": True},
        f"{POLICIES}/{policy.pk}/versions": {"spec": spec, "number": 7},
        f"{POLICIES}/{policy.pk}/baseline": {"run": run.pk, "reason": "x", "approved_by": "ada"},
    }

    for address, body in bodies.items():
        told = _post(alices, address, body, 400)
        assert list(told["error"]["details"]["fields"]) == list(body)[-1:], told
        assert "There is no such key" in told["error"]["message"]
        assert list(body)[-1] in told["error"]["message"]

    assert GateDecision.objects.count() == 1
    assert policy.versions.count() == 1


def test_a_yes_is_no_number(alices: Client) -> None:
    for spec in (
        {"failure_budget": True},
        {"failure_rate_at_most": False},
        {"failure_budget": 0.1, "minimum_n": True},
        {"metrics": [{"metric": "pass_rate", "at_least": True}]},
        {"metrics": [{"metric": "pass_rate", "margin": False}]},
        {"slices": [{"margin": True}]},
    ):
        _post(alices, POLICIES, {"name": "yes", "spec": spec}, 400)

    assert not GatePolicy.objects.exists()


def test_what_cannot_be_decided_is_said_in_a_sentence(
    alices: Client, workspace: Workspace, run: Run, policy: GatePolicy
) -> None:
    asking = running_run(workspace, [PASSED], version=make_version(workspace, 5))
    strange = {"run": run.pk, "change_id": "x\x1b"}

    unknown = _post(alices, GATES, {"run": "run_x"}, 404)
    no_policy = _post(alices, GATES, {"run": run.pk, "policy": "strict"}, 400)
    open_run = _post(alices, GATES, {"run": asking.pk}, 400)
    control = _post(alices, GATES, strange, 400)
    no_baseline = _post(alices, GATES, {"run": run.pk, "baseline": "run_x"}, 404)

    sentences = [
        each["error"]["message"] for each in (unknown, no_policy, open_run, control, no_baseline)
    ]
    assert "There is no run 'run_x'" in sentences[0]
    assert "There is: releases" in sentences[1]
    assert "is running" in sentences[2]
    assert "printable" in sentences[3]
    assert "There is no run 'run_x'" in sentences[4]
    assert not GateDecision.objects.exists()


def test_decisions_are_listed_and_filtered(
    alices: Client, workspace: Workspace, run: Run, policy: GatePolicy
) -> None:
    other = a_policy(workspace, "other")
    bad = a_run(workspace, 10, 190, version=run.dataset_version)
    first, second = a_decision(run, policy), a_decision(bad, other)

    def ids(query: str = "") -> list[str]:
        return [row["decision_id"] for row in _get(alices, GATES + query)["results"]]

    assert ids() == [second.pk, first.pk]
    assert ids(f"?run={run.pk}") == [first.pk]
    assert ids(f"?policy={other.pk}") == [second.pk]
    assert ids("?run=nothing") == []
    [row] = _get(alices, f"{GATES}?run={bad.pk}")["results"]
    assert (row["verdict"], row["run_id"], row["baseline_id"]) == ("fail", bad.pk, None)
    assert "checks" not in row
    assert alices.get(f"{GATES}?run=a%00").status_code == 400


def test_a_lead_overrides_with_a_reason(alices: Client, alice: User, run: Run) -> None:
    policy = a_policy(run.workspace, metrics=[{"metric": "pass_rate", "at_least": 0.99}])
    decision = a_decision(run, policy)
    address = f"{GATES}/{decision.pk}/override"

    _post(alices, address, {"answer": "pass"}, 400)
    _post(alices, address, {"answer": "maybe", "reason": "Because."}, 400)
    told = _post(alices, address, {"answer": "pass", "reason": "It is urgent."})

    assert (told["verdict"], told["answer"]) == ("fail", "pass")
    assert (told["override"]["by"], told["override"]["reason"]) == (alice.label, "It is urgent.")
    [row] = _get(alices, GATES)["results"]
    assert row["answer"] == "pass"


def test_an_override_over_the_api_names_the_one_that_it_replaces(alices: Client, run: Run) -> None:
    policy = a_policy(run.workspace, metrics=[{"metric": "pass_rate", "at_least": 0.99}])
    address = f"{GATES}/{a_decision(run, policy).pk}/override"
    first = _post(alices, address, {"answer": "pass", "reason": "It is urgent."})["override"]
    own = {"answer": "fail", "reason": "It can wait."}

    unseen = _post(alices, address, own, 409)
    back = _post(alices, address, {**own, "replaces": first["seq"]})

    assert "nothing was changed" in str(unseen)
    assert (back["answer"], back["override"]["takes_back"]) == ("fail", True)


def test_what_a_policy_names_and_nothing_here_has_is_told_as_on_the_page(
    alices: Client, run: Run
) -> None:
    assert run.contract_version is not None
    rule = run.contract_version.parsed.rules[0].name
    right = {"blocking_rules": [rule], "slices": [{"families": ["metadata.language"]}]}
    wrong = {
        "blocking_rules": [rule, "no_secret"],
        "metrics": [
            {"metric": "rule:exat:mean", "margin": 0.1},
            {"metric": "pass^4", "at_least": 1},
        ],
        "slices": [{"families": ["metadata.langage"]}],
    }

    made = _post(alices, POLICIES, {"name": "nightly", "spec": right})
    saved = _post(alices, f"{POLICIES}/{made['id']}/versions", {"spec": wrong})
    bound = {"name": "tickets", "spec": wrong, "dataset": run.dataset_version.dataset_id}
    of_one = _post(alices, POLICIES, bound)

    until = "until one has, the gate is inconclusive. See that the name is right."
    rules = f"No contract and no run here has a rule named no_secret, exat: {until}"
    assert made["warnings"] == []
    assert saved["warnings"] == [
        rules,
        f"No run here has as many trials as pass^4 takes: {until}",
        f"No dataset here has slices by langage: {until}",
    ]
    assert of_one["warnings"] == [
        rules,
        f"No run of {run.dataset_version.dataset} has as many trials as pass^4 takes: {until}",
        f"No version of {run.dataset_version.dataset} has slices by langage: {until}",
    ]
    fields = {"name": "again", "minimum_n": "20", "metric-rows": "0", "slice-rows": "0"}
    alices.post("/w/demo/gates/policies/new/", {**fields, "other_rules": "no_secret\nexat"})
    page = alices.get("/w/demo/gates/").content.decode()
    assert rules in page


def test_policies_are_made_saved_and_given_a_baseline(alices: Client, run: Run) -> None:
    dataset = run.dataset_version.dataset_id
    made = _post(
        alices, POLICIES, {"name": "nightly", "dataset": dataset, "spec": {"slices": [{}]}}
    )
    address = f"{POLICIES}/{made['id']}"

    same = _post(alices, f"{address}/versions", {"spec": {"slices": [{}]}}, 200)
    saved = _post(alices, f"{address}/versions", {"spec": MARGIN})
    told = _post(alices, f"{address}/baseline", {"run": run.pk, "reason": "In production."})

    assert (made["version"], same["version"], saved["version"]) == (1, 1, 2)
    assert made["spec"]["minimum_n"] == 20
    assert (told["baseline"]["run"], told["baseline"]["reason"]) == (run.pk, "In production.")
    assert _get(alices, address) == told
    assert made["warnings"] == []
    assert "warnings" not in told
    assert [row["name"] for row in _get(alices, POLICIES)["results"]] == ["nightly"]
    assert _get(alices, f"{POLICIES}?archived=true")["results"] == []


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ({}, "holds a run to nothing"),
        ([], "Give an object"),
        ({"metrics": [{"metric": "beauty", "at_least": 1}]}, "beauty is no metric of a run"),
    ],
)
def test_a_policy_that_cannot_be_is_told_why(alices: Client, spec: Any, sentence: str) -> None:
    told = _post(alices, POLICIES, {"name": "nightly", "spec": spec}, 400)

    assert sentence in told["error"]["message"]


def test_a_baseline_that_cannot_be_is_told_why(
    alices: Client, workspace: Workspace, policy: GatePolicy
) -> None:
    waiting = queued_run(workspace, version=make_version(workspace, 5))
    address = f"{POLICIES}/{policy.pk}/baseline"

    told = _post(alices, address, {"run": waiting.pk, "reason": "Soon."}, 400)
    _post(alices, address, {"run": "run_x", "reason": "Soon."}, 404)
    _post(alices, address, {"run": waiting.pk}, 400)

    assert "only a run that has ended" in told["error"]["message"]
    assert current_run(policy) is None


def test_a_reviewer_reads_and_decides_nothing(
    client: Client, bob: User, run: Run, policy: GatePolicy
) -> None:
    decision = a_decision(run, policy)
    client.force_login(bob)

    _get(client, f"{GATES}/{decision.pk}")
    for address, body in (
        (GATES, {"run": run.pk}),
        (f"{GATES}/{decision.pk}/override", {"answer": "fail", "reason": "No."}),
        (POLICIES, {"name": "x", "spec": MARGIN}),
        (f"{POLICIES}/{policy.pk}/versions", {"spec": MARGIN}),
        (f"{POLICIES}/{policy.pk}/baseline", {"run": run.pk, "reason": "Mine."}),
    ):
        assert _post(client, address, body, 403)["error"]["code"] == "forbidden"


def test_a_stranger_finds_nothing(
    client: Client, charlie: User, run: Run, policy: GatePolicy
) -> None:
    decision = a_decision(run, policy)
    client.force_login(charlie)

    assert _get(client, GATES)["results"] == []
    assert _get(client, POLICIES)["results"] == []
    for address in (f"{GATES}/{decision.pk}", f"{POLICIES}/{policy.pk}"):
        _get(client, address, 404)
    for address, body in (
        (GATES, {"run": run.pk}),
        (f"{GATES}/{decision.pk}/override", {"answer": "fail", "reason": "No."}),
        (f"{POLICIES}/{policy.pk}/versions", {"spec": MARGIN}),
        (f"{POLICIES}/{policy.pk}/baseline", {"run": run.pk, "reason": "Mine."}),
    ):
        _post(client, address, body, 404)


def test_who_labels_blind_sees_neither_the_decision_nor_the_baseline(
    client: Client, bob: User, workspace: Workspace, run: Run
) -> None:
    policy = a_policy(workspace, **MARGIN)
    approved(policy, run)
    other = a_run(workspace, 30, version=make_version(workspace, 30, name="other"))
    about_it = a_decision(run, policy, other)
    against_it = a_decision(other, policy)
    labels_blind(run, bob)
    client.force_login(bob)

    assert _get(client, GATES)["results"] == []
    for decision in (about_it, against_it):
        _get(client, f"{GATES}/{decision.pk}", 404)
    assert _get(client, f"{POLICIES}/{policy.pk}")["baseline"] is None
