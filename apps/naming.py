"""What the name of a thing may be: text that is shown as it is written and turns nothing round."""

import unicodedata
from typing import Annotated

from pydantic import AfterValidator

_JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
"""Persian, Hindi and emoji are written with them."""
_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs that look like blanks."""
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Controls, formats (all that sets the direction of text), half characters, ends of lines."""


def unfit_name(name: str) -> str:
    """Why nothing can be called so, as a sentence; "" where it can, and for no name at all."""
    hidden = next((each for each in name if _is_hidden(each)), "")
    if hidden:
        return f"The name has {_spelled(hidden)}, which is not shown."
    if name and all(each.isspace() or each in _JOINERS + _FILLERS for each in name):
        return "The name has only blanks."
    return ""


def shown_name(text: str) -> str:
    """A name made of what a file or an older row says: without what is not shown."""
    kept = "".join(each for each in text if not _is_hidden(each)).strip()
    return "" if unfit_name(kept) else kept


def _is_hidden(character: str) -> bool:
    if character in _JOINERS:
        return False
    return unicodedata.category(character) in _HIDDEN or _is_no_character(ord(character))


def _is_no_character(code: int) -> bool:
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def _spelled(character: str) -> str:
    title = unicodedata.name(character, "").lower()
    return f"U+{ord(character):04X}" + (f" ({title})" if title else "")


def _fit(name: str) -> str:
    if problem := unfit_name(name):
        raise ValueError(problem)
    return name


Name = Annotated[str, AfterValidator(_fit)]
