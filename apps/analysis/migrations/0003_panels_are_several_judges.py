from django.db import migrations, models


class Migration(migrations.Migration):
    """Which judges a row is of is filled in when its campaign is computed next."""

    dependencies = [("analysis", "0002_questions_that_ask_for_a_fault")]

    operations = [
        migrations.AddField(
            "calibration", "judge_versions", models.JSONField(blank=True, default=list)
        ),
        migrations.RemoveField("calibration", "judge_version"),
    ]
