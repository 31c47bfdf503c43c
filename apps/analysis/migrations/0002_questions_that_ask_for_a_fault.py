from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

FAULTS = (
    *("misleading", "unsupported_claim_present", "contradicted_claim_present"),
    *("fabricated_source", "incomplete", "unsafe_content"),
)
"""The questions of the annotation specification to which yes was no praise until now."""


def as_it_was(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    rows = apps.get_model("analysis", "Calibration").objects
    rows.filter(question__name__in=FAULTS).update(yes_fails=True)


class Migration(migrations.Migration):
    dependencies = [("analysis", "0001_judges_against_people")]

    operations = [
        migrations.AddField("calibration", "yes_fails", models.BooleanField(default=False)),
        migrations.RunPython(as_it_was, migrations.RunPython.noop),
    ]
