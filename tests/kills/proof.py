"""What must hold of a run, whatever was killed while it ran."""

import json

from tests.model_server import ModelServer

from .installation import TERMINAL, Installation

FLUSH_S = 0.8
"""What was answered within it may not be stored yet when a worker dies."""


def assert_whole(installation: Installation, run: str, records: int) -> None:
    """Every record exactly one result with its scores, one end, artifacts sealed and whole."""
    found = installation.ask(f"SELECT ordinal FROM runs_result WHERE run_id = '{run}'")
    assert sorted(ordinal for (ordinal,) in found) == [*range(records)]
    changes = installation.ask(f"SELECT state FROM runs_statechange WHERE run_id = '{run}'")
    assert len([state for (state,) in changes if state in TERMINAL]) == 1
    open_chunks = "SELECT COUNT(*) FROM runs_chunk WHERE state IN ('pending', 'sent', 'running')"
    assert installation.one(open_chunks) == 0
    answered = "SELECT COUNT(*) FROM runs_result WHERE status = 'completed'"
    scores = "SELECT COUNT(*) FROM runs_score WHERE rule = 'exact'"
    assert installation.one(scores) == installation.one(answered)
    assert_sealed_once(installation)


def assert_sealed_once(installation: Installation) -> None:
    ((seal, sealed_at),) = installation.ask(
        "SELECT manifest_sha256, sealed_at FROM artifacts_bundle"
    )
    assert sealed_at is not None
    kept = dict(installation.ask("SELECT name, sha256 FROM artifacts_artifact"))
    manifest = json.loads(installation.file(seal))
    listed = {each["name"]: each["sha256"] for each in manifest["artifacts"]}
    assert kept == {**listed, "run_manifest.json": seal}
    assert len(kept) == 8
    for digest in kept.values():
        installation.file(digest)


def assert_paid_once(server: ModelServer, *, dead_slots: int = 0, latency_ms: int = 1) -> None:
    """Nothing was answered twice but what was in flight, or not stored yet, when somebody died."""
    bearable = dead_slots * (1 + FLUSH_S * 1000 / latency_ms)
    repeats = server.stats()["repeats"]
    assert repeats <= bearable, f"{repeats} answers were asked for twice"
