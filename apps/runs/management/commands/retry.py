"""`evalhub retry RUN`: a new run that asks again what failed."""

from apps.runs.commands import FollowUpCommand
from apps.runs.models import Run


class Command(FollowUpCommand):
    help = (
        "Start a new run that asks again what failed; where only the judge failed, the "
        "judge alone. Exit status as of `run`."
    )
    kind = Run.Kind.RETRY
