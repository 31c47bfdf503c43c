"""How far people agree: on a question, pair by pair, and each with the others.

A frame has the columns item, annotator and label (a text); rows without a label do not count.
"""

from .explaining import why_they_differ
from .pairs import of_pairs
from .people import of_people
from .question import of_question

__all__ = ["of_pairs", "of_people", "of_question", "why_they_differ"]
