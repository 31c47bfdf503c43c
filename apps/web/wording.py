"""What forms say of a value that is too long, too large or too small, in our words."""

from django.core import validators


def speak_plainly() -> None:
    """For every form and model of the installation: the validators' own messages are Django's."""
    validators.MaxLengthValidator.message = (
        "At most %(limit_value)s characters; it has %(show_value)s."
    )
    validators.MinLengthValidator.message = (
        "At least %(limit_value)s characters; it has %(show_value)s."
    )
    validators.MaxValueValidator.message = "It may be %(limit_value)s at most, not %(show_value)s."
    validators.MinValueValidator.message = (
        "It must be at least %(limit_value)s, not %(show_value)s."
    )
