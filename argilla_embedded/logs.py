"""What the server says: one line a warning, whatever the library that gives it."""

import logging
import warnings


class OneLine(logging.Formatter):
    """The first line of the message and the last of a traceback, which names the error."""

    def format(self, record: logging.LogRecord) -> str:
        lines = super().format(record).strip().splitlines() or [""]
        return lines[0] if len(lines) == 1 else f"{lines[0]} … {lines[-1]}"


def quiet() -> None:
    """Before anybody else configures logging: who comes later finds it done."""
    handler = logging.StreamHandler()
    handler.setFormatter(OneLine("{levelname} {name}: {message}", style="{"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    warnings.simplefilter("ignore")  # what libraries tell those who write Argilla
