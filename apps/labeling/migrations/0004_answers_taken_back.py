"""An answer that was taken back has neither label nor reason; none has both."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("labeling", "0003_breach_task_type")]

    operations = [
        migrations.RemoveConstraint("annotation", "no_label_has_a_discard_reason"),
        migrations.AddConstraint(
            "annotation",
            models.CheckConstraint(
                condition=models.Q(("label", ""), ("discard_reason", ""), _connector="OR"),
                name="a_label_has_no_discard_reason",
            ),
        ),
    ]
