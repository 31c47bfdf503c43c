"""`evalhub annotations import FILE`, `annotations export CAMPAIGN --form F`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.accounts.commands import REFUSED, chosen_workspace, person
from apps.datasets.commands import add_file_arguments
from apps.labeling.exporting.following import put, require_place, written
from apps.labeling.exporting.listing import rows_in
from apps.labeling.exporting.requesting import campaign_named, start_export
from apps.labeling.models import Export


class Command(BaseCommand):
    help = (
        "Import labels that people gave elsewhere; export those of a campaign as sealed files, "
        "in this process where no worker is up. Exit status: 0 done, 2 refused."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        taken = actions.add_parser("import", help="labels about a dataset that is here")
        add_file_arguments(taken)
        taken.add_argument("--on", help="the dataset version that they are about; else found")
        self._about(taken)
        given = actions.add_parser("export", help="the labels of a campaign, or of a dataset")
        given.add_argument("name", help="a campaign's name or id; a dataset for imported labels")
        given.add_argument("--form", choices=Export.Form.values, default=Export.Form.LABELS)
        given.add_argument("--include-discarded", action="store_true")
        given.add_argument(
            "--to",
            type=Path,
            metavar="DIR|FILE",
            help="else data/annotated/<export id> of the data directory",
        )
        given.add_argument("--json", action="store_true", dest="as_json")
        self._about(given)

    def handle(self, *, action: str, **options: Any) -> None:
        actions: dict[str, Callable[..., None]] = {"import": self._import, "export": self._export}
        actions[action](**options)

    def _about(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", help="its slug; needless where there is only one")
        parser.add_argument("--user", help="who does it, for the audit log")

    def _import(self, *, file: Path, **options: Any) -> None:
        """An upload like any other, of a format that needs not be found out."""
        names = ("files", "main", "map", "valid_only", "as_json", "on", "workspace", "user")
        given = {name: options[name] for name in names}
        out = {"stdout": self.stdout, "stderr": self.stderr}
        call_command("import", file, format=options["format"] or "annotations", **given, **out)

    def _export(
        self, *, name: str, form: str, include_discarded: bool, to: Path | None, **options: Any
    ) -> None:
        by = person(options["user"]) if options["user"] else None
        try:
            campaign = campaign_named(chosen_workspace(options["workspace"], by), name)
            if to:
                require_place(form, to)
            started = start_export(
                campaign, form=form, include_discarded=include_discarded, by=by, via="command"
            )
            export = written(started)
            place = to or Path(settings.DATA_DIR) / "data" / "annotated" / export.pk
            self._tell(export, place, put(export, place), as_json=options["as_json"])
        except ValidationError as error:
            raise CommandError(error.messages[0], returncode=REFUSED) from None
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.", returncode=REFUSED) from None

    def _tell(self, export: Export, place: Path, names: list[str], *, as_json: bool) -> None:
        if as_json:
            told = {
                "export_id": export.pk,
                "campaign_id": export.campaign_id,
                "form": export.form,
                "to": str(place),
                "files": names,
                "manifest_sha256": export.bundle.manifest_sha256 if export.bundle else None,
            }
            self.stdout.write(json.dumps(told, indent=2))
            return
        rows = f"{rows_in(export):,} rows of {export.campaign}"
        self.stdout.write(f"{export.pk}: {rows} in {place}: {', '.join(names)}")
