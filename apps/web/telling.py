"""What came of a press, told on the next page."""

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest


def tell(request: HttpRequest, change: Callable[[], object], done: str) -> None:
    """Make the change; the next page says that it is done, or why it is not."""
    try:
        change()
    except ValidationError as error:
        messages.error(request, error.messages[0])
    else:
        messages.success(request, done)
