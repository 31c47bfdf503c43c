"""The base of every contract: frozen, and closed to unknown fields."""

from pydantic import BaseModel, ConfigDict


class Contract(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
