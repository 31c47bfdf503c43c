"""What is decided when a campaign is made: tasks, sample, shares. Pure."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from apps.contract import Contract

TaskId = Literal[
    "retrieval",
    "grounding",
    "relevance",
    "retrieval_full",
    "grounding_full",
    "generation",
    "rubric",
    "reference",
    "own",
]
"""The first three are the package contracts' binary labels, the next three the fuller sets."""

FULLER: dict[TaskId, TaskId] = {"retrieval_full": "retrieval", "grounding_full": "grounding"}
"""Tasks whose answers are filed under the same type as the binary label's."""

How = Literal["all", "random", "stratified", "disagreement", "low_confidence"]
Severity = Literal["block", "warn", "off"]
Language = Literal["en", "de"]
Name = Annotated[str, StringConstraints(pattern=r"[a-z][a-z0-9_]{0,59}")]
Title = Annotated[str, StringConstraints(min_length=1, max_length=500)]


class Sample(Contract):
    """Which answers are labelled: `size` of them, drawn as `how` says.

    `family` is the slice family that a stratified sample is drawn by. `gold` is how many further
    items with a known answer are hidden among them.
    """

    how: How = "all"
    size: int | None = Field(None, ge=1, le=50_000)
    family: str = ""
    seed: int = Field(0, ge=0, le=2**31 - 1)
    gold: int = Field(0, ge=0, le=500)

    @property
    def is_random(self) -> bool:
        """Whether what it says of the sample may be said of all answers."""
        return self.how in ("all", "random", "stratified")

    @model_validator(mode="after")
    def _is_complete(self) -> "Sample":
        if self.how != "all" and self.size is None:
            raise ValueError("say how many answers the sample has")
        if self.how == "stratified" and not self.family:
            raise ValueError("say which slices a stratified sample is drawn by")
        return self


class Option(Contract):
    """One answer to choose: the value that is kept, and what people read."""

    value: Annotated[str, StringConstraints(min_length=1, max_length=80)]
    title: Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Asked(Contract):
    """One question. Name '' is that of a task which asks one question as a whole.

    Options: of `choice` and `several` as given, of `rating` the numbers of the scale.
    """

    name: str = ""
    title: Title
    description: str = ""
    kind: Literal["yes_no", "choice", "several", "rating", "text"] = "yes_no"
    options: tuple[Option, ...] = ()
    level: Literal["nominal", "ordinal", "interval"] = "nominal"
    required: bool = True

    @property
    def key(self) -> str:
        """Its name in Argilla, where none may be empty."""
        return self.name or "label"


class Plan(Contract):
    """What a campaign is made of; frozen with it.

    `calibration_share` of the items of each task wait for everybody, the others for
    `min_submitted` people. `audit_share` of what people agree on is reviewed all the same.
    `severities` of constraints that differ from the built-in ones.
    """

    tasks: tuple[TaskId, ...] = Field(min_length=1)
    sample: Sample = Sample()
    min_submitted: int = Field(1, ge=1, le=20)
    calibration_share: float = Field(0.1, ge=0, le=1)
    audit_share: float = Field(0.0, ge=0, le=1)
    language: Language = "en"
    own: tuple[Asked, ...] = ()
    severities: dict[str, Severity] = {}

    @model_validator(mode="after")
    def _is_complete(self) -> "Plan":
        if len(set(self.tasks)) < len(self.tasks):
            raise ValueError("name each task once")
        for fuller, label in FULLER.items():
            if {fuller, label} <= set(self.tasks):
                raise ValueError(f"{label} and {fuller} ask about the same: choose one")
        if ("own" in self.tasks) != bool(self.own):
            raise ValueError("own questions and the task own go together")
        if len({each.name for each in self.own}) < len(self.own):
            raise ValueError("own questions need names of their own")
        return self

    def awaited(self, people: int, *, by_everybody: bool = False) -> int:
        """How many answers an item waits for where so many people label; never for none."""
        return max(1, people if by_everybody else min(people, self.min_submitted))
