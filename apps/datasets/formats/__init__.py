"""Dataset formats: one dialect a file (a large one a folder); each detects, reads and writes."""

from .agentv import Agentv
from .annotations import Annotations
from .base import Format, Progress, Purpose, WithSidecar
from .contract_v1 import ContractV1
from .legal_eval_v1 import LegalEvalV1
from .pairs import Pairs
from .scenarios import Scenarios
from .scores import Scores
from .trace import Trace

__all__ = ["FORMATS", "Format", "Progress", "Purpose", "WithSidecar", "detect"]

FORMATS: dict[str, Format] = {
    dialect.id: dialect
    for dialect in (
        ContractV1(),
        LegalEvalV1(),
        Agentv(),
        Scenarios(),
        Trace(),
        Annotations(),
        Scores(),
        Pairs(),
    )
}
"""In the order in which they are asked whether a file is theirs."""


def detect(name: str, head: bytes) -> Format | None:
    """The first format that takes a file with this name and beginning for its own."""
    return next((found for found in FORMATS.values() if found.detect(name, head)), None)
