"""`evalhub compare BASELINE RUN [RUN …]`: runs held against a baseline, record by record."""

import json
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandParser
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.analysis.comparing import MOST_CANDIDATES, body_of, comparison_of, unlike
from apps.analysis.comparing.asking import WAIT_SECONDS, standing
from apps.analysis.comparing.exporting import agentv_json, pairs_csv, told
from apps.analysis.comparing.telling import lines
from apps.analysis.models import Comparison
from apps.jobs.models import JobState
from apps.metrics.compared import PairedRuns
from apps.runs.beginning.naming import run_named
from apps.runs.commands import RunCommand
from apps.runs.models import Run


class Command(RunCommand):
    help = (
        "Hold runs against a baseline, record by record: what got better, what got worse, and how "
        "sure that is. Exit status 0 whatever the verdict, also with --agentv, where agentv's own "
        "command ends with 1 for a worse mean: what holds a release is `evalhub gate`. 2 where "
        "the runs cannot be compared."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("baseline", help="its id, its name, or latest")
        parser.add_argument("runs", nargs="+", metavar="run", help="what is held against it")
        parser.add_argument("--metric", help="this one alone, with its slices")
        shape = parser.add_mutually_exclusive_group()
        shape.add_argument("--csv", action="store_true", help="print a line a pair")
        shape.add_argument(
            "--agentv", action="store_true", help="print the JSON of agentv's compare"
        )

    def act(
        self,
        workspace: Workspace,
        *,
        baseline: str,
        runs: Sequence[str],
        metric: str | None,
        csv: bool,
        agentv: bool,
        **_: Any,
    ) -> None:
        first = run_named(workspace, baseline)
        candidates = [run_named(workspace, name) for name in dict.fromkeys(runs)]
        if len(candidates) > MOST_CANDIDATES:
            raise ValidationError(f"At most {MOST_CANDIDATES} runs are held against a baseline.")
        self._say_who_is_at_it(standing(first, candidates))
        comparisons = [comparison_of(first, run) for run in candidates]
        if csv:
            for piece in pairs_csv(first, comparisons):
                self.stdout.write(piece, ending="")
        elif agentv:
            self.stdout.write(json.dumps(agentv_json(first, comparisons), indent=2))
        elif self.as_json:
            self.stdout.write(json.dumps(told(first, comparisons), indent=2))
        else:
            self._draw(first, comparisons, metric)

    def _say_who_is_at_it(self, comparisons: Sequence[Comparison]) -> None:
        """Of somebody who was killed nobody knows it before the lease ends."""
        for each in comparisons:
            if each.state == JobState.RUNNING and each.lease_until:
                left = max(0, round((each.lease_until - timezone.now()).total_seconds()))
                self.stderr.write(
                    f"{each.candidate.title} is being compared by somebody else. Should they have "
                    f"been killed, it is free again in {left} s; waiting {WAIT_SECONDS:.0f} s at "
                    "most …"
                )

    def _draw(self, baseline: Run, comparisons: Sequence[Comparison], metric: str | None) -> None:
        self.stdout.write(f"{baseline.pk}  {baseline.title} (baseline)")
        for comparison in comparisons:
            run, body = comparison.candidate, body_of(comparison)
            _check(metric, body)
            self.stdout.write(f"{run.pk}  {run.title}")
            for line in lines(body, unlike(baseline, run), metric):
                self.stdout.write(line)


def _check(metric: str | None, body: PairedRuns) -> None:
    known = [each.metric for each in body.whole]
    if metric is not None and metric not in known:
        told = ", ".join(known) or "none"
        raise ValidationError(f"The runs have no metric {metric!r} in common; they have: {told}.")
