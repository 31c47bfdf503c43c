"""The one function that django-q2 calls."""

from django.apps import apps

from . import services


def look_at(label: str, pk: int | str) -> None:
    services.look_at(apps.get_model(label), pk)
