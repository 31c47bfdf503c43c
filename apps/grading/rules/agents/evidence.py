"""Rules on what an agent's run leaves to review it by: traces and sandbox reviews."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from apps.grading.contracts import Aspect, Check, Score, Subject
from apps.grading.rules.agents import side_effects, verifier_outputs
from apps.grading.rules.agents.agent_runs import FAILED, evidence_of, evidence_of_events, told
from apps.grading.rules.agents.expecting import Expecting
from apps.grading.rules.base import Example, Rule
from apps.grading.rules.words import shown
from apps.grading.subjects import SessionRun, TraceEvent

MOST_CHECKS = 20
SANDBOX_KEYS = (
    "sandbox_profile_contract",
    "workspace_entries_reviewed",
    "permissions_profile",
    "network_secrets_posture",
    "snapshot_policy",
)


def _reviewed() -> TraceEvent:
    return TraceEvent(
        event_type="sandbox_profile_reviewed",
        trace_id="trace_123",
        payload={
            "sandbox_profile_contract": "sandbox-profile-v1",
            "workspace_entries_reviewed": "true",
            "permissions_profile": "restricted-shell-network-denied",
            "network_secrets_posture": "network:denied,secrets:none",
            "snapshot_policy": "required_on_completion",
        },
    )


class FailedRunTraceable(Expecting):
    """A run failed, and people can still find out why: the share of what each failed run needs.

    Every run with the status failed must name its failure reason, its trace and the release that
    it ran as (`release_identity`). Without a failed run the value is 0: a drill that did not fail
    shows nothing. Without a session and a trace there is no score.
    """

    title = "Failed run traceable"
    aspect: ClassVar[Aspect] = "process"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            says="Everything is there.",
            subject=Subject(
                session=(
                    SessionRun(
                        status="failed",
                        failure_reason="tool_timeout",
                        trace_id="trace_123",
                        release_identity="helpdesk-2026-03",
                    ),
                )
            ),
            value=1.0,
        ),
        Example(
            says="The release is not known.",
            subject=Subject(
                session=(
                    SessionRun(
                        status="failed", failure_reason="tool_timeout", trace_id="trace_123"
                    ),
                )
            ),
            value=0.75,
        ),
    )

    type: Literal["failed_run_traceable"] = "failed_run_traceable"
    release_identity: bool = Field(
        default=True,
        title="Release identity",
        description="The run must name its release. Off: as exports count traceable failed runs, "
        "by status, reason, trace and output.",
    )

    def grade(self, subject: Subject) -> Score:
        runs = told(subject).runs
        if not any(run.status for run in runs):
            return self.cannot_say("Neither a session nor a trace tells the status of a run.")
        failed = [run for run in runs if run.status == FAILED]
        checks = [Check(text=f"{'A' if failed else 'No'} run failed.", passed=bool(failed))]
        for run in failed:
            checks += self._needs(run)
        held = sum(check.passed for check in checks) / len(checks) if failed else 0.0
        if not self.expected:
            held = float(held < 1)
            checks = [check.model_copy(update={"passed": not check.passed}) for check in checks]
        return self.scored(held, checks=checks[:MOST_CHECKS], evidence=evidence_of(failed or runs))

    def _needs(self, run: SessionRun) -> Iterator[Check]:
        reason = shown(run.failure_reason) if run.failure_reason else ""
        it = f"The failed run {run.trace_id}" if run.trace_id else "A failed run"
        says = "says" if reason else "does not say"
        yield Check(text=f"{it} {says} why.", passed=bool(reason), evidence=reason)
        yield Check(text=f"{it} names {_one('trace', run.trace_id)}.", passed=bool(run.trace_id))
        if self.release_identity:
            release = run.release_identity
            text = f"{it} names {_one('release', release)}."
            yield Check(text=text, passed=bool(release), evidence=release[:200])
        else:
            text = f"{it} left {'an' if run.output_text else 'no'} output."
            yield Check(text=text, passed=bool(run.output_text))


class SandboxProfileReview(Rule):
    """The sandbox was reviewed before it ran, as expected: the share of what the review must say.

    The review is the latest `sandbox_profile_reviewed` event of the traces; what it leaves out may
    stand in the record, under the same name or in its `sandbox_profile_review`. It must name the
    contract of the sandbox profile, whether the workspace entries were reviewed, the permissions
    profile, the posture of network and secrets, and the snapshot policy: with `expected: true`
    each must be there, with an object each must be there and equal what it says; "true" and true
    are equal. Where no trace and no record tells of a review there is no score; a trace without
    one is a review that did not happen: 0.
    """

    title = "Sandbox profile review"
    aspect: ClassVar[Aspect] = "process"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(says="All five are there.", subject=Subject(trace=(_reviewed(),)), value=1.0),
        Example(
            says="Four of five are as expected.",
            settings={
                "expected": {
                    "sandbox_profile_contract": "sandbox-profile-v1",
                    "workspace_entries_reviewed": True,
                    "permissions_profile": "restricted-shell-network-denied",
                    "network_secrets_posture": "network:denied,secrets:none",
                    "snapshot_policy": "never",
                }
            },
            subject=Subject(trace=(_reviewed(),)),
            value=0.8,
        ),
    )

    type: Literal["sandbox_profile_review"] = "sandbox_profile_review"
    expected: bool | dict[str, str | bool | int | float] = Field(
        default=True,
        title="Expected",
        description="true: the review says all five. An object: it says them, and as here. "
        "false: there is no complete review.",
    )

    def grade(self, subject: Subject) -> Score:
        known = told(subject)
        reviews = [each for each in known.events if each.event_type == "sandbox_profile_reviewed"]
        said = {**_of_record(subject.record), **(reviews[-1].payload if reviews else {})}
        if not known.has_events and not any(key in said for key in SANDBOX_KEYS):
            return self.cannot_say("No trace was told, and the record has no sandbox review.")
        wanted = self.expected if isinstance(self.expected, dict) else {}
        keys = dict.fromkeys((*SANDBOX_KEYS, *wanted))
        checks = [_review(key, said, wanted) for key in keys][:MOST_CHECKS]
        held = sum(check.passed for check in checks) / len(checks)
        if self.expected is False:
            held = float(held < 1)
            checks = [check.model_copy(update={"passed": not check.passed}) for check in checks]
        evidence = evidence_of_events(reviews[-1:]) or evidence_of(known.runs)
        return self.scored(held, checks=checks, evidence=evidence)


def _review(key: str, said: Mapping[str, Any], wanted: Mapping[str, Any]) -> Check:
    found, awaited = _plain(said.get(key)), _plain(wanted.get(key))
    if not found:
        return Check(text=f"The review does not say {key}.", passed=False)
    if key not in wanted or found == awaited:
        return Check(text=f"{key} is {shown(found)}.", passed=True)
    return Check(text=f"{key} is {shown(found)}, not {shown(awaited)}.", passed=False)


def _one(what: str, given: str) -> str:
    return f"its {what}" if given else f"no {what}"


def _plain(value: Any) -> str:
    """As telemetry writes it: every value is a text there, and true is "true"."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:.15g}" if isinstance(value, float) else str(value)[:100]
    return value.strip() if isinstance(value, str) else ""


def _of_record(record: Mapping[str, Any]) -> dict[str, Any]:
    review = record.get("sandbox_profile_review")
    inside = review if isinstance(review, dict) else {}
    return {key: each[key] for each in (record, inside) for key in SANDBOX_KEYS if key in each}


RULES: tuple[type[Rule], ...] = (
    *verifier_outputs.RULES,
    FailedRunTraceable,
    SandboxProfileReview,
    *side_effects.RULES,
)
