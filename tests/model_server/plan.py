"""What the server answers and how it fails: a function of the prompt and of the calls so far."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.targets.adapters.scripted_judge import reply_of

from .replies import BENT

BROKEN = "This reply of the test judge is not JSON."
FAILURES = frozenset(
    {
        "hang",
        "reset",
        "drip",
        "huge",
        "huge_chunked",
        "truncated",
        "malformed",
        "not_utf8",
        "redirect",
        "filtered_prompt",
    }
)
_MARKER = re.compile(r"\[\[(\w+)((?: \w+=\d+)*)\]\]")
_SUM = re.compile(r"(-?\d+) (plus|minus|times) (\d+)")


@dataclass(frozen=True, slots=True)
class Fault:
    """`mode` is a status or a behaviour; the first `times` calls of a prompt meet it (0: all)."""

    mode: str
    times: int = 0
    after_ms: int | None = None
    share: float = 1.0
    latency_ms: int | None = None

    def __post_init__(self) -> None:
        if self.mode not in FAILURES | BENT and not self.mode.isdecimal():
            raise ValueError(f"no such behaviour: {self.mode}")


@dataclass(frozen=True, slots=True)
class Plan:
    """The faults share the prompts among them: 0.02 of 429 and 0.01 of resets, by the hash."""

    latency_ms: float = 0
    wrong_rate: float = 0.1
    faults: tuple[Fault, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)


def plan_of(values: Mapping[str, Any]) -> Plan:
    faults = tuple(Fault(**fault) for fault in values.get("faults", ()))
    return Plan(**{**values, "faults": faults})


def digest_of(prompt: str) -> int:
    """The same hash as the workload generator's, so that its expected answers hold here."""
    raw = hashlib.blake2b(prompt.strip().encode("utf-8", "replace"), digest_size=16).digest()
    return int.from_bytes(raw, "little")


def fault_of(plan: Plan, prompt: str, digest: int, calls_before: int) -> Fault | None:
    """What goes wrong with this call, if anything; a marker wins over the plan."""
    fault = _marked(prompt) or _planned(plan, digest)
    if fault is None or (fault.times and calls_before >= fault.times):
        return None
    return fault


def answer_of(plan: Plan, prompt: str, digest: int, model: str) -> str:
    if model.startswith("judge"):
        return _opinion(prompt, digest, model)
    wrong = _uniform(digest, 32) < plan.wrong_rate
    if prompt in plan.answers:
        return f"wrong-{digest & 0xFFFF:04x}" if wrong else plan.answers[prompt]
    sums = _SUM.findall(prompt)
    if not sums:
        return f"ok-{digest & 0xFFFFFFFF:08x}"
    return str(_result(*sums[-1]) + (1 + (digest & 7) if wrong else 0))


def _marked(prompt: str) -> Fault | None:
    marker = _MARKER.search(prompt)
    if not marker:
        return None
    settings = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", marker[2])}
    return Fault(mode=marker[1], **settings)


def _planned(plan: Plan, digest: int) -> Fault | None:
    roll = _uniform(digest, 64)
    for fault in plan.faults:
        if roll < fault.share:
            return fault
        roll -= fault.share
    return None


def _uniform(digest: int, shift: int) -> float:
    return float((digest >> shift) & 0xFFFFFFFF) / 2**32


def _result(left: str, operation: str, right: str) -> int:
    a, b = int(left), int(right)
    return {"plus": a + b, "minus": a - b, "times": a * b}[operation]


def _opinion(prompt: str, digest: int, model: str) -> str:
    """Strict JSON of a judge; the models `judge-broken-once` and `judge-broken-always` fail."""
    if model == "judge-broken-always" or (model == "judge-broken-once" and BROKEN not in prompt):
        return BROKEN
    mark = (3 + digest % 7) / 9
    return json.dumps(reply_of(prompt, mark, "By the hash."))
