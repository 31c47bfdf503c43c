"""A criterion of a contract's own rubric: that of a record, with what a form needs to know."""

from typing import Literal

from pydantic import Field

from apps.grading.subjects import RubricItem


class Item(RubricItem):
    """One criterion of the contract's own rubric."""

    id: str = Field(
        min_length=1,
        max_length=200,
        title="Id",
        description="Names the criterion in results; unique in the rule.",
    )
    title: str = Field(
        default="",
        max_length=5_000,
        title="Title",
        description="What an answer that meets the criterion does.",
    )
    description: str = Field(
        default="", max_length=20_000, title="Description", description="More about it."
    )
    weight: float = Field(
        default=1.0,
        ge=-1_000_000,
        le=1_000_000,
        allow_inf_nan=False,
        title="Weight",
        description="Its share in the score; below 0 for what an answer should not do.",
    )
    required: bool = Field(
        default=False,
        title="Required",
        description="An answer that misses it fails the rule, whatever the score.",
    )
    operator: Literal["", "correctness", "contradiction"] = Field(
        default="",
        title="Operator",
        description="correctness: the answer must state this. contradiction: nothing in the "
        "answer may contradict this. Empty: the answer must do what is described.",
    )
    min_score: float | None = Field(
        default=None,
        ge=0,
        le=10,
        title="Least score",
        description="An answer below it fails the rule: from 0 to 1, or up to 10 for bands.",
    )
    score_ranges: dict[str, str] = Field(
        default={},
        title="Score ranges",
        description="Bands that cover 0 to 10, like 0-3, each with what such an answer is like.",
    )
