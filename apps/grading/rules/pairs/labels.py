"""What is known of retrieved chunks: relevant, enough evidence, misleading."""

from typing import Literal

from apps.grading.contracts import Subject
from apps.grading.rules.words import shown
from apps.grading.subjects import Chunk

Label = Literal["relevant", "sufficient", "misleading"]


class Unlabelled(Exception):
    """A chunk has no label that is needed; says which."""


class Labels:
    """The chunks of one answer in the order of their ranks, and what is said of each.

    What follows from another label needs none of its own: evidence that is enough is relevant,
    and what is not relevant cannot be enough. Where the record lists the relevant ids, they
    stand in for labels of relevance.
    """

    def __init__(self, subject: Subject) -> None:
        self.ranked = sorted(subject.chunks, key=lambda chunk: chunk.rank)
        self.listed = frozenset(subject.relevant_chunk_ids)

    def read(self, chunk: Chunk, label: Label) -> bool:
        """The label of a chunk; raises Unlabelled where it is not known."""
        known = {
            "relevant": self._relevant(chunk),
            "sufficient": self._sufficient(chunk),
            "misleading": chunk.misleading,
        }[label]
        if known is None:
            raise Unlabelled(f"Nobody labelled whether chunk {shown(chunk.id)} is {label}.")
        return known

    def grade(self, chunk: Chunk) -> int:
        """2 where it is enough evidence, 1 where it is relevant, otherwise 0."""
        return 2 if chunk.sufficient else int(self.read(chunk, "relevant"))

    def all_grades(self) -> list[int]:
        """Of every chunk there is to find, retrieved or not."""
        retrieved = {chunk.id for chunk in self.ranked}
        return [*map(self.grade, self.ranked), *(1 for each in self.listed - retrieved)]

    def relevant_ids(self) -> frozenset[str]:
        found = {chunk.id for chunk in self.ranked if self.read(chunk, "relevant")}
        return self.listed | found

    def _relevant(self, chunk: Chunk) -> bool | None:
        if chunk.relevant is not None or chunk.sufficient:
            return chunk.relevant or bool(chunk.sufficient)
        return chunk.id in self.listed if self.listed else None

    def _sufficient(self, chunk: Chunk) -> bool | None:
        if chunk.sufficient is None and chunk.relevant is False:
            return False
        return chunk.sufficient
