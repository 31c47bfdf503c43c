"""What forms say of a value that is too long, too large or too small, in our words."""

from typing import Any

from django.core import validators

_EXACT = 2.0**53
"""Below it every whole number is a float of its own."""


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
    for validator in (validators.MaxValueValidator, validators.MinValueValidator):
        validator.clean = _as_written  # type: ignore[assignment, method-assign]


def _as_written(_: validators.BaseValidator, value: Any) -> Any:
    """A number field reads -3 as the float -3.0, which nobody wrote."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < _EXACT
    return int(value) if is_whole else value
