"""What granian serves: it listens once this is imported, so who asks first waits for no import."""

import os

from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application
from django.urls import reverse

from apps.jobs.processes import tie_to_parent


def _made_ready() -> WSGIHandler:
    application = get_wsgi_application()
    from apps.analysis.models import Comparison  # needs the application

    reverse("home")  # to know one address is to import the views of all
    Comparison.warm_up()
    return application


tie_to_parent()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalhub.settings")
application = _made_ready()
