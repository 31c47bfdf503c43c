"""`evalhub resume RUN`: a new run that asks what a cancelled one left."""

from apps.runs.commands import FollowUpCommand
from apps.runs.models import Run


class Command(FollowUpCommand):
    help = "Start a new run that asks what a cancelled one left. Exit status as of `run`."
    kind = Run.Kind.RESUME
