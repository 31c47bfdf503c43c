"""Grading contracts over the API: added, read, saved as versions, with errors by path."""

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from apps.accounts.models import AuditEvent, User, Workspace
from apps.grading import queries, services
from apps.grading.models import GradingContract
from apps.grading.rules import RULE_OF_TYPE
from apps.grading.spec import ContractSpec
from apps.grading.starters import starter_spec

URL = "/api/v1/contracts"
EXACT = {"rules": [{"type": "exact_match", "name": "exact"}]}
JUDGE = starter_spec("judge").model_dump(mode="json")


@pytest.fixture
def contract(workspace: Workspace) -> GradingContract:
    return made(workspace)


def made(workspace: Workspace, name: str = "quality") -> GradingContract:
    return services.create_contract(
        workspace=workspace,
        name=name,
        spec=ContractSpec.model_validate(EXACT),
        by=None,
        now=timezone.now(),
    )


def post(client: Client, address: str, **body: Any) -> HttpResponse:
    answer: HttpResponse = client.post(address, body, content_type="application/json")
    return answer


def test_a_contract_is_added_and_read(as_alice: Client, alice: User, workspace: Workspace) -> None:
    answer = post(as_alice, URL, name="quality", spec=EXACT)

    contract = workspace.contracts.get()
    body = answer.json()
    assert answer.status_code == 201
    assert (body["id"], body["version"], body["locked_at"]) == (contract.pk, 1, None)
    assert body["spec_sha256"] == ContractSpec.model_validate(EXACT).sha256
    assert as_alice.get(f"{URL}/{contract.pk}").json() == body
    event = AuditEvent.objects.get(object_id=contract.pk)
    assert (event.actor, event.via, event.request_id) == (alice, "api", answer["x-request-id"])


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ([], "Give an object with `rules`."),
        ({"rules": []}, "a contract needs at least one rule."),
        ({"rules": [{"type": "guess", "name": "g"}]}, "rules[0] (g): there is no rule type"),
        ({**EXACT, "tresholds": {}}, "tresholds: is not known here"),
        ({"rules": [{"type": "regex", "name": "r", "pattern": "("}]}, "rules[0] (r)"),
    ],
)
def test_what_is_wrong_is_said_by_its_path(
    as_alice: Client, workspace: Workspace, spec: Any, sentence: str
) -> None:
    answer = post(as_alice, URL, name="quality", spec=spec)

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "invalid_request")
    assert any(sentence in problem for problem in error["details"]["fields"]["spec"])
    assert not workspace.contracts.exists()


def test_a_name_that_is_taken_is_refused(as_alice: Client, contract: GradingContract) -> None:
    answer = post(as_alice, URL, name="quality", spec=EXACT)

    assert answer.status_code == 400
    assert "already a contract named 'quality'" in answer.json()["error"]["message"]


def test_a_draft_is_saved_in_place_and_a_locked_version_gets_a_next(
    as_alice: Client, contract: GradingContract
) -> None:
    address = f"{URL}/{contract.pk}/versions"

    edited = post(as_alice, address, spec=JUDGE)
    services.lock_version(version=queries.latest_version(contract), now=timezone.now())
    unchanged, added = post(as_alice, address, spec=JUDGE), post(as_alice, address, spec=EXACT)

    answers = (edited, unchanged, added)
    assert [(a.status_code, a.json()["version"]) for a in answers] == [(200, 1), (200, 1), (201, 2)]
    assert added.json()["locked_at"] is None
    versions = as_alice.get(address).json()["results"]
    assert [row["version"] for row in versions] == [2, 1]
    assert versions[1]["spec"] == JUDGE


def test_an_archived_contract_is_not_saved(as_alice: Client, contract: GradingContract) -> None:
    services.archive_contract(contract=contract, by=None, now=timezone.now())

    answer = post(as_alice, f"{URL}/{contract.pk}/versions", spec=JUDGE)

    assert answer.status_code == 400
    assert "Restore it" in answer.json()["error"]["message"]


def test_the_list_is_paged_and_leaves_out_what_is_archived(
    as_alice: Client, workspace: Workspace, django_assert_max_num_queries: Any
) -> None:
    for number in range(55):
        made(workspace, f"c{number:02}")
    workspace.contracts.filter(name="c00").update(archived_at=timezone.now())

    with django_assert_max_num_queries(12):
        first = as_alice.get(URL).json()
    second = as_alice.get(URL, {"cursor": first["next"]}).json()
    archived = as_alice.get(URL, {"archived": "true"}).json()

    names = [row["name"] for row in [*first["results"], *second["results"]]]
    assert names == [f"c{number:02}" for number in range(1, 55)]
    assert (first["previous"], second["next"]) == (None, None)
    assert [row["name"] for row in archived["results"]] == ["c00"]


def test_every_type_of_rule_is_told_with_its_schema(as_alice: Client) -> None:
    told = {rule["type"]: rule for rule in as_alice.get("/api/v1/rules").json()}

    assert set(told) == set(RULE_OF_TYPE) - {"unexecutable"}
    assert told["token_f1"]["schema"]["properties"]["threshold"]["default"] == 0.5
    assert told["rubric_judge"]["method"] == "judge"
