"""What is judged of one answer, which pair it is, and who gets it. Pure."""

from collections.abc import Iterator
from hashlib import sha256

from apps.grading.subjects import Subject
from apps.labeling.task_types import showing
from apps.labeling.task_types.base import Task


def units_of(task: Task, subject: Subject) -> Iterator[str]:
    """The chunks of a subject that have something to judge, '' for its answer as a whole."""
    for unit in showing.units(subject) if task.unit == "chunk" else ("",):
        if task.shown(subject, unit) is not None:
            yield unit


def pair_sha256(subject: Subject) -> str:
    """The annotation specification's record_uuid: of query, answer, context and chunk ids."""
    chunks = "|".join(sorted(chunk.id for chunk in subject.chunks))
    parts = (showing.query(subject), subject.response, showing.context(subject), chunks)
    return _hex("\0".join(parts))


def is_for_everybody(pair: str, chunk: str, task: str, *, seed: int, share: float) -> bool:
    """Whether a unit is in the calibration share, by the annotation specification's formula."""
    unit = f"{pair}:{chunk}" if chunk else pair
    return int(_hex(f"{seed}\0{task}\0{unit}")[:8], 16) < share * 2**32


def _hex(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
