"""What a run leaves behind and came from: artifacts, states, the runs that follow it."""

from dataclasses import dataclass

from apps.artifacts.models import Artifact
from apps.runs.models import Run, RunTarget, StateChange


@dataclass(frozen=True)
class Kept:
    """The artifacts of a run, the manifest first."""

    artifacts: list[Artifact]

    @property
    def size(self) -> int:
        return sum(artifact.size for artifact in self.artifacts)

    @property
    def purged(self) -> bool:
        return any(artifact.purged_at for artifact in self.artifacts)


def artifacts_of(run: Run) -> Kept:
    """One query; none before the run has a bundle."""
    if run.bundle is None:
        return Kept([])
    artifacts = list(run.bundle.artifacts.order_by("name"))
    return Kept(sorted(artifacts, key=lambda artifact: artifact.name != "run_manifest.json"))


def states_of(run: Run) -> list[StateChange]:
    return list(run.state_changes.select_related("by").order_by("seq"))


def children_of(run: Run) -> list[Run]:
    """The runs that resume, retry or regrade this one, oldest first."""
    return list(run.children.select_related("created_by").order_by("pk"))


def parties_of(run: Run) -> list[RunTarget]:
    """Who answered and who judged, with their frozen settings."""
    return list(run.targets.select_related("target_version__target").order_by("-role", "name"))
