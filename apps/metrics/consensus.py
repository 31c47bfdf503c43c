"""What labels of several people on one item come to."""

from collections import Counter
from collections.abc import Sequence

from apps.metrics.labels import Marginal, Rule, Settled, Unsettled


def settle(
    labels: Sequence[str], rule: Rule, *, fewest: int = 1, verdict: str | None = None
) -> Settled:
    """The label by the rule, or None with `tie`, `split`, `too_few` or `adjudicate`.

    A majority is more than half of the labels. An adjudicator's verdict settles it under every
    rule. Discards are abstentions and no labels; `fewest` labels are needed.
    """
    counts = Counter(labels)
    ranked = sorted(counts.items(), key=lambda vote: (-vote[1], vote[0]))
    votes = tuple(Marginal(label=label, count=count) for label, count in ranked)
    if verdict is not None:
        return Settled(label=verdict, votes=votes)
    why = _unsettled(votes, rule, len(labels), max(1, fewest))
    return Settled(label=None if why else votes[0].label, reason=why, votes=votes)


def _unsettled(votes: Sequence[Marginal], rule: Rule, n: int, fewest: int) -> Unsettled:
    if n < fewest:
        return "too_few"
    if rule == "adjudicated":
        return "adjudicate"
    first = votes[0].count
    if first == n or (rule == "majority" and 2 * first > n):
        return ""
    return "tie" if rule == "majority" and votes[1].count == first else "split"
