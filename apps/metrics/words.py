"""Numbers and names as sentences say them."""


def in_percent(share: float, places: int = 0) -> str:
    """0.862 → 86 %, as pages write it: with a space."""
    return f"{100 * share:.{places}f} %"


def in_decimals(value: float, places: int = 2) -> str:
    """−0.12, as pages write it: with a minus, and no zero below zero."""
    return f"{round(value, places) + 0.0:.{places}f}".replace("-", "−")


def family_name(family: str) -> str:
    """What slices are by, in a sentence: `metadata.channel` → channel, `task_type` → task type."""
    return family.removeprefix("metadata.").replace("_", " ")
