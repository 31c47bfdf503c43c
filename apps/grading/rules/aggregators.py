"""How the scores of several rules become one."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from apps.contract import Contract
from apps.grading.dialects import slug

ELSEWHERE = {
    "code": "A program aggregates the members, and programs that come with data are not executed.",
    "llm": "A model aggregates the members; only weights or a share of passes can do that here.",
}


class Aggregator(Contract):
    """How the scores of the members become one."""

    type: Literal["weighted_average", "threshold", "code", "llm"] = Field(
        default="weighted_average",
        title="Type",
        description="weighted_average: the mean by weights. threshold: the share of members that "
        "pass. code, llm: kept as the data has it; gives no score.",
    )
    weights: dict[str, Annotated[float, Field(ge=0, le=1_000_000)]] = Field(
        default={},
        title="Weights",
        description="By the names of members; a member that is not named has the weight of its "
        "own, which is 1 where it says nothing.",
    )
    threshold: float = Field(
        default=1.0,
        ge=0,
        le=1,
        title="Threshold",
        description="Of threshold: the share of members that must pass.",
    )
    said: dict[str, Any] = Field(
        default={}, title="What it said", description="Of code and llm: as its format wrote it."
    )

    @field_validator("weights")
    @classmethod
    def _by_names_of_rules(cls, weights: dict[str, float]) -> dict[str, float]:
        return {slug(name): weight for name, weight in weights.items()}
