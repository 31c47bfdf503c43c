"""What all judges share: the words they read, how their replies are read, who is asked, the rule.

A rule that asks a model is a `JudgeRule`. It says what to ask (`inquiries`), how one reply is read
(`opinion`) and what the opinions make (`concluded`); panels, the re-ask, errors and what is kept
of each judge are the same for all.
"""

from . import policies
from .parsing import ParsedJudgment, json_object, read_judgment
from .rule import Inquiry, JudgeRule
from .voting import Opinion
from .wording import Wording

__all__ = [
    "Inquiry",
    "JudgeRule",
    "Opinion",
    "ParsedJudgment",
    "Wording",
    "json_object",
    "policies",
    "read_judgment",
]
