"""A run to grade again, and a contract that nothing passes."""

import pytest

from apps.grading.models import ContractVersion
from apps.runs.models import Run
from tests.runs.conftest import MakeContract, MakeTarget, MakeVersion, Start, drain, statuses

from .regraded import NEVER


@pytest.fixture
def never(make_contract: MakeContract) -> ContractVersion:
    """A contract that no answer passes."""
    return make_contract(NEVER, name="never")


@pytest.fixture
def parent(
    start: Start, make_version: MakeVersion, make_target: MakeTarget, make_contract: MakeContract
) -> Run:
    """A run of 20 sums that all pass, but for those that failed."""
    errors = [{"code": "invalid_response", "share": 0.3}]
    target = make_target(planned_errors=errors)
    made = drain(start(version=make_version(20), target=target, contract=make_contract()))
    assert 0 < statuses(made)["evaluation_error"] < 20
    return made
