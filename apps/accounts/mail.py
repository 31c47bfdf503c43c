"""Whether mail from here reaches anybody."""

from django.conf import settings

_NOWHERE = "django.core.mail.backends.console.EmailBackend"


def is_set_up() -> bool:
    """Not while mail is only printed, as it is where EVALHUB_EMAIL_URL says nothing."""
    return settings.EMAIL_BACKEND != _NOWHERE
