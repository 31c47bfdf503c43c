"""What it takes to be sure; nothing here computes."""

from pydantic import FiniteFloat

from apps.contract import Contract

POWER = 0.8


class Needed(Contract):
    """How many records a difference of `difference` takes, paired, with power 0.8 at 0.05.

    `discordance` is the mean squared difference of a pair: for pass and fail the share of records
    that change. `n` is None where no number is enough, with the reason.
    """

    difference: FiniteFloat
    discordance: FiniteFloat
    n: int | None
    reason: str = ""


class Bought(Contract):
    """What so many more labels would make of an interval: its half width now and then."""

    labels: int
    now: FiniteFloat | None
    then: FiniteFloat | None
    reason: str = ""


class SlicePlan(Contract):
    """What a slice of n records can show; `detectable` is None below what a verdict is given on.

    `lacking`: how many records are missing for the wanted difference, 0 where there are enough,
    None where no number is.
    """

    family: str
    value: str
    n: int
    too_few: bool
    detectable: FiniteFloat | None
    lacking: int | None


class LabelsPlan(Contract):
    """What the next labels of a judge's verdicts would buy, for each rate that people correct.

    `labels` is how many more there can be, up to those asked for; 0 where all is labelled.
    `labelled` and `judged` count units. `why` says what the prediction rests on, in a sentence.
    """

    labels: int
    labelled: int
    judged: int
    corrected: Bought
    agreement: Bought
    sensitivity: Bought
    specificity: Bought
    why: str
