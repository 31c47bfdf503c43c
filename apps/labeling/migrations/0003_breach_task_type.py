"""A breach says of which task it is: the labels of the others count."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("labeling", "0002_campaigns_in_argilla")]

    operations = [
        migrations.AddField(
            model_name="breach",
            name="task_type",
            field=models.CharField(blank=True, default="", max_length=80),
        ),
    ]
