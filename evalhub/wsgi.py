"""What granian serves."""

import os

from django.core.wsgi import get_wsgi_application

from apps.jobs.processes import tie_to_parent

tie_to_parent()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalhub.settings")
application = get_wsgi_application()
