"""`evalhub demo`: example data in a data directory of its own; a second time changes nothing."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from evalhub.demo import deciding, people, seeding

SIGN_IN = "Example data is in the workspace Demo. Sign in as, unless a password was changed:"


class Command(BaseCommand):
    help = (
        "Fill in example data: people, targets, contracts, datasets and runs that the workers "
        "carry out; and print the sign-ins. A second time changes nothing."
    )

    def handle(self, **options: Any) -> None:
        try:
            workspace = people.workspace_with_people(settings.DATA_DIR)
        except ValidationError as error:
            raise CommandError(error.messages[0]) from None
        seeding.add_parts(workspace)
        deciding.seed(workspace)
        seeding.seed(workspace)
        self.stdout.write(SIGN_IN)
        for each in people.sign_ins(settings.DATA_DIR):
            self.stdout.write(_line(each))


def _line(person: people.SignIn) -> str:
    return f"  {person.name:6} {person.password or '(not made here)':15} {person.may}"
