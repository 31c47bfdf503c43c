"""What a run is started with, and the plan that is frozen then."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from apps.contract import Contract
from apps.naming import Name
from apps.targets.contracts import Reply

BACKOFF_SECONDS = (2.0, 6.0, 14.0)
PILOT_RECORDS = 10
CHUNK_RECORDS = 1_000
MOST_CONNECTIONS = 100
LONGEST_WAIT_SECONDS = 120.0
MOST_TRIALS = 20


class DatasetPlan(Contract):
    version: str
    dataset_id: str
    dataset_version: str
    format: str
    records_sha256: str
    total: int
    accepted: int
    rejected: int


class ContractPlan(Contract):
    version: str
    name: str
    number: int
    spec_sha256: str


class TargetPlan(Contract):
    version: str
    role: Literal["target", "judge"]
    name: str
    kind: str
    number: int
    spec_sha256: str


class SettingsPlan(Contract):
    """`concurrency` calls at once in all, `slots` of them in one chunk."""

    max_attempts: int
    backoff_seconds: tuple[float, ...] = BACKOFF_SECONDS
    pilot: int | None = None
    trials: int = 1
    data_rules: bool = False
    """Whether the rules that came with the data count: those of runs before it was asked do not."""
    concurrency: int
    slots: int
    chunk_records: int
    cost_cap: float | None = None
    bootstrap_seed: int = 20260115


class Plan(Contract):
    """Everything that decides what a run does; its hash is locked at the start."""

    evalhub: str
    kind: str
    parent: str | None
    dataset: DatasetPlan
    contract: ContractPlan | None
    targets: tuple[TargetPlan, ...]
    settings: SettingsPlan
    answers: str | None = None


class StartOptions(Contract):
    """What a person may choose beside dataset, target and contract."""

    name: Name = Field("", max_length=200)
    note: str = Field("", max_length=10_000)
    pilot: bool = False
    trials: int = Field(1, ge=1, le=MOST_TRIALS)
    cost_cap: float | None = Field(None, gt=0, allow_inf_nan=False)
    idempotency_key: str | None = Field(None, min_length=1, max_length=128)


class Estimate(Contract):
    """Calls and cost before the start; None with a reason where prices are not known.

    The calls and the cost are of all trials.
    """

    records: int
    trials: int = 1
    target_calls: int
    judge_calls: int
    cost: float | None
    reason: str = ""


class Held(Contract):
    """What a record that was asked before already has: attempts, an answer, judges' texts.

    In a session `turns` are the inputs that are answered; `reply` stands when all are.
    """

    target_attempts: int = 0
    answered_attempts: int = 0
    """Of these, the attempts of the turns that are answered."""
    turns: tuple[Reply, ...] = ()
    judge_attempts: dict[str, int] = {}
    """The failed ones by "rule call": each question has attempts of its own."""
    first_attempt_at: datetime | None = None
    last_attempt_at: datetime | None = None
    reply: Reply | None = None
    answers: dict[str, str] = {}
    """The judges' readable texts by "rule call"."""
    unreadable: dict[str, str] = {}
    """By "rule call" the first text that could not be read: only its re-ask is still to come."""

    @property
    def tried(self) -> int:
        """How often what is not answered yet was asked."""
        return self.target_attempts - self.answered_attempts
