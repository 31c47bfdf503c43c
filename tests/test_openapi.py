"""The API against its own description: committed, current, true in every answer."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import schemathesis
from django.conf import LazySettings
from django.core.cache import cache as cache_of_requests
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from schemathesis.config import SchemathesisConfig

from apps.accounts.models import User, Workspace
from apps.analysis.gates.overriding import override
from apps.runs.models import Run
from evalhub.wsgi import application
from tests import samples
from tests.analysis.gates import building as gates
from tests.datasets.documents import accepted, bad_record, document, record
from tests.processes import CHECKOUT

COMMITTED = CHECKOUT / "docs" / "openapi.yaml"
EXAMPLES = 6
NOT_CHECKED = (
    "negative_data_rejection",  # a dataset is accepted with the errors of its records listed
    "positive_data_acceptance",  # the contract asks more than a schema can say
    "ignored_auth",  # test_permissions.py asks every address without a token
)


def test_the_committed_description_is_current_and_valid(tmp_path: Path) -> None:
    generated = tmp_path / "openapi.yaml"

    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(generated))

    assert generated.read_text() == COMMITTED.read_text(), (
        "The API has changed: write it down by "
        "evalhub spectacular --validate --fail-on-warn --file docs/openapi.yaml"
    )


def test_members_read_the_description_and_nobody_else(bob: User, client: Client) -> None:
    signed_out = client.get("/api/v1/schema")
    client.force_login(bob)
    signed_in = client.get("/api/v1/schema")

    assert signed_out.status_code == 401
    assert signed_in.json()["openapi"] == "3.1.0"
    assert "/api/v1/runs" in signed_in.json()["paths"]


# -- every operation, asked by schemathesis ---------------------------------------------------

# What parameters may name: a word stands for the id of an object that is made when it is asked for.
NAMES = {
    "path.run_id": ["an-ended-run", "a-cancelled-run"],
    "path.version_id": ["a-version"],
    "path.from_id": ["a-version"],
    "path.to_id": ["a-version"],
    "path.dataset_id": ["a-dataset"],
    "path.upload_id": ["an-upload"],
    "path.target_id": ["a-target"],
    "path.contract_id": ["a-contract"],
    "path.policy_id": ["a-gate-policy"],
    "path.decision_id": ["a-gate-decision"],
    "path.format_id": ["contract_v1"],
    "path.name": ["run_manifest.json", "predictions.jsonl"],
    "query.target": ["model"],
    "query.contract": ["exact"],
}
CONFIG = SchemathesisConfig.from_dict(
    {
        "generation": {"max-examples": EXAMPLES, "deterministic": True, "no-shrink": True},
        "checks": {name: {"enabled": False} for name in NOT_CHECKED},
        "dictionaries": {name: {"values": values} for name, values in NAMES.items()},
        "parameters": {name: {"dictionary": name, "probability": 0.8} for name in NAMES},
    }
)
api = schemathesis.openapi.from_path(COMMITTED, config=CONFIG)
api.app = application


class Objects:
    """A run, a version and all that the words of `NAMES` stand for, made once each."""

    def __init__(self, workspace: Workspace, by: User) -> None:
        self._workspace, self._by = workspace, by
        self.bearer = samples.bearer_of(by, workspace)
        self.id_of = cache(self._made)

    def named_in(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {name: self.id_of(word) for name, word in arguments.items()}

    def _made(self, word: Any) -> Any:
        workspace, by = self._workspace, self._by
        makers: dict[Any, Callable[[], str]] = {
            "an-ended-run": lambda: self._ended().pk,
            "a-cancelled-run": lambda: samples.cancelled_run(workspace, by).pk,
            "a-version": lambda: samples.make_version(workspace, rejected=2).pk,
            "a-dataset": lambda: samples.make_version(workspace).dataset_id,
            "an-upload": lambda: accepted(workspace, document(record(0), bad_record(1))).pk,
            "a-target": lambda: samples.make_target(workspace).pk,
            "a-contract": lambda: samples.make_contract(workspace).contract_id,
            "a-gate-policy": lambda: gates.a_policy(workspace, by=by).pk,
            "a-gate-decision": self._decided,
        }
        return makers[word]() if word in makers else word

    def _decided(self) -> str:
        """Against a baseline, with slices, and said otherwise by a person."""
        before, after = (gates.a_run(self._workspace, 30, failed) for failed in (5, 10))
        asked: dict[str, Any] = {
            "metrics": [{"metric": "pass_rate", "at_least": 0.5, "margin": 0.1}],
            "slices": [{}],
        }
        policy = gates.a_policy(self._workspace, "decides", **asked)
        decision = gates.a_decision(after, policy, before)
        override(decision, answer="fail", reason="It waits.", by=self._by, now=gates.AT)
        return str(decision.pk)

    def _ended(self) -> Run:
        """A run with answers that came, and calls that failed."""
        errors = [{"code": "timeout", "share": 0.5}]
        target = samples.make_target(self._workspace, "shaky", planned_errors=errors)
        version = samples.make_version(self._workspace, 8, rejected=2)
        return samples.ended_run(self._workspace, self._by, version=version, target=target)


@pytest.fixture(autouse=True)
def nobody_asked_before() -> None:
    """What one test asked counts towards no other's requests a minute."""
    cache_of_requests.clear()


@pytest.fixture
def open_connection() -> Iterator[None]:
    """No request ends the test's transaction by closing its connection (as in Django's client)."""
    signals = (request_started, request_finished)
    for each in signals:
        each.disconnect(close_old_connections)
    yield
    for each in signals:
        each.connect(close_old_connections)


@pytest.fixture
def objects(
    workspace: Workspace, ada: User, settings: LazySettings, open_connection: None
) -> Objects:
    rest = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {"user": "1000000/min"}}
    settings.REST_FRAMEWORK = rest
    samples.make_target(workspace)
    samples.make_contract(workspace)
    return Objects(workspace, ada)


@api.parametrize()
@hypothesis.settings(deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
def test_every_answer_is_as_described(case: schemathesis.Case[Any], objects: Objects) -> None:
    case.path_parameters = objects.named_in(case.path_parameters)

    case.call_and_validate(headers=objects.bearer)


# -- what no client of good will sends ----------------------------------------------------------

DEEP = b"[" * 100_000
HOSTILE_TARGETS = [
    DEEP,
    b'{"name": "a", "spec": {"kind": "http_json", "url": "http://localhost", "request_template": '
    + b'{"a":' * 1_000
    + b'"{{prompt}}"'
    + b"}" * 1_000
    + b"}}",
    b'{"name": "a\\ud800", "spec": {"kind": "scripted"}}',
    b'{"name": "a\\u0000", "spec": {"kind": "scripted"}}',
    b'{"name": NaN}',
    b'{"name": 1e999}',
    b'{"name": "\xff"}',
    b"\xff\xfe{\x00}\x00",
    b"",
    b"null",
    b'"text"',
    b"[]",
    b'{"name": "a", "spec": {"kind": "scripted", "seed": 123456789012345678901234567890}}',
    b'{"name": "a", "spec": {"kind": "scripted", "canned": {"\\u0000": "\\u0000"}, "x": 1}}',
]
HOSTILE_ADDRESSES = [
    "/api/v1/runs/%00",
    "/api/v1/runs?cursor=%00",
    "/api/v1/runs?%00=1",
    "/api/v1/runs?workspace=%00",
    "/api/v1/runs?status=%ED%A0%80",
    "/api/v1/runs?archived=perhaps",
    "/api/v1/datasets?" + "&".join(f"a{number}=1" for number in range(2_000)),
]


@pytest.mark.parametrize("body", HOSTILE_TARGETS, ids=lambda body: repr(body[:24]))
def test_a_hostile_body_is_answered_with_400(
    body: bytes, workspace: Workspace, ada: User, client: Client
) -> None:
    answer = client.post(
        "/api/v1/targets",
        body,
        content_type="application/json",
        headers=samples.bearer_of(ada, workspace),
    )

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_request")
    assert answer.json()["error"]["message"]


@pytest.mark.parametrize("address", HOSTILE_ADDRESSES, ids=lambda address: address[:40])
def test_a_hostile_address_is_answered_with_400(
    address: str, workspace: Workspace, ada: User, client: Client
) -> None:
    answer = client.get(address, headers=samples.bearer_of(ada, workspace))

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_request")


@pytest.mark.parametrize("cursor", ["x", "a:b:c", "....", "%FF", "é" * 5_000, "eyJ9:1:2"])
def test_a_cursor_that_is_not_ours_gives_the_first_page(
    cursor: str, workspace: Workspace, ada: User, client: Client
) -> None:
    samples.make_target(workspace)

    answer = client.get(
        "/api/v1/targets", {"cursor": cursor}, headers=samples.bearer_of(ada, workspace)
    )

    assert [row["name"] for row in answer.json()["results"]] == ["model"]


def test_a_body_beyond_the_limit_is_answered_with_413(
    workspace: Workspace, ada: User, client: Client, settings: LazySettings
) -> None:
    body = b'"' + b"x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE + b'"'

    answer = client.post(
        "/api/v1/targets",
        body,
        content_type="application/json",
        headers=samples.bearer_of(ada, workspace),
    )

    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "payload_too_large")
