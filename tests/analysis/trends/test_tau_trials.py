"""pass^k of a hundred real agent runs: from the files, through import, recorded run and regrade.

They are of upstream's reward: 31 of the 100 runs reached 1.0, which their traces say as the status
`success`. The rules of the data want the required words in the reply too, and pass 30.
"""

from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion
from apps.grading.models import ContractVersion
from apps.grading.services import create_contract
from apps.grading.spec import ContractSpec
from apps.runs.beginning.regrading import Regrade, regrade
from apps.runs.models import Run
from apps.runs.queries import counts_of, figures_of
from apps.runs.recorded.recording import recorded_run
from tests.commands import evalhub
from tests.datasets.documents import accepted
from tests.runs.conftest import drain
from tests.traces.test_real import RUNS
from tests.traces.test_tau_graded import SCENARIOS

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        not RUNS.is_file(),
        reason=f"{RUNS.name} is not here: set EVALHUB_SHARED to the shared folder",
    ),
]
BY_REWARD = {1: 0.310, 2: 0.193, 3: 0.170, 4: 0.160}
BY_THE_DATA = {1: 0.300, 2: 0.193, 3: 0.170, 4: 0.160}
"""The one success that they do not grant was the only one of its scenario."""


@pytest.fixture
def recorded(workspace: Workspace, alice: User) -> Run:
    version = accepted(workspace, SCENARIOS.read_bytes(), alice).version
    assert isinstance(version, DatasetVersion)
    assert evalhub("trace", "import", str(RUNS)).status == 0
    return drain(recorded_run(version, by=alice, now=timezone.now()))


def reward_alone(workspace: Workspace) -> ContractVersion:
    spec: dict[str, Any] = {
        "rules": [{"type": "status_equals", "name": "reward", "expected": "success"}],
        "data_rules": "ignore",
    }
    made = create_contract(
        workspace=workspace,
        name="upstream's reward",
        spec=ContractSpec.model_validate(spec),
        by=None,
        now=timezone.now(),
    )
    return made.versions.get()


def graded(recorded: Run, contract: ContractVersion | None, by: User) -> Run:
    return drain(regrade(Regrade(recorded, contract=contract, by=by), now=timezone.now()))


def all_of(run: Run) -> dict[int, float | None]:
    figures = figures_of(run)
    found = {k: figures.of(f"pass^{k}").point for k in range(1, run.trials + 1)}
    return {k: None if value is None else round(value, 3) for k, value in found.items()}


def test_by_upstreams_reward_a_third_passes_once_and_half_of_these_always(
    workspace: Workspace, recorded: Run, alice: User
) -> None:
    run = graded(recorded, reward_alone(workspace), alice)

    found = counts_of(run).denominators
    assert (run.valid_records, run.trials, found.passed, found.failed_contract) == (25, 4, 31, 69)
    assert all_of(run) == BY_REWARD
    assert {figures_of(run).of(f"pass^{k}").n for k in BY_REWARD} == {25}


def test_by_the_rules_of_the_data_a_lone_success_is_lost(recorded: Run, alice: User) -> None:
    run = graded(recorded, None, alice)

    assert counts_of(run).denominators.passed == 30
    assert all_of(run) == BY_THE_DATA
