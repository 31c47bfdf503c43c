"""Which reviews are needed: asked for once, withdrawn when they are not, never after settling."""

from collections.abc import Collection, Mapping

from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from apps.labeling.models import Campaign, Review

from .truth import Truth, Unit

BATCH = 1_000
OWN = (Review.Reason.TIE, Review.Reason.SPLIT, Review.Reason.ADJUDICATE, Review.Reason.AUDIT)
"""The reasons that labels alone give; judges and leads have their own."""

_REASONS = {
    "tie": Review.Reason.TIE,
    "split": Review.Reason.SPLIT,
    "adjudicate": Review.Reason.ADJUDICATE,
    "discarded": Review.Reason.ADJUDICATE,
}


def review_what_labels_ask(campaign: Campaign, found: Mapping[Unit, Truth]) -> None:
    """Raise what the consensus rule leaves open and the audit; withdraw what has gone since."""
    wanted = needed_reviews(campaign, found)
    raise_reviews(campaign, wanted)
    _give_their_reason(campaign, wanted)
    withdraw_reviews(campaign, OWN, keep=wanted)


def needed_reviews(campaign: Campaign, found: Mapping[Unit, Truth]) -> dict[Unit, Review.Reason]:
    """What nobody has agreed on, and a share of what people have: the same one each time."""
    share = campaign.planned.audit_share if campaign.kind == Campaign.Kind.DESK else 0.0
    wanted = {unit: _REASONS[truth.why] for unit, truth in found.items() if truth.why in _REASONS}
    agreed = [unit for unit, truth in found.items() if truth.source == "consensus"]
    audited = [unit for unit in agreed if is_audited(campaign, unit, share)]
    return wanted | dict.fromkeys(audited, Review.Reason.AUDIT)


def is_audited(campaign: Campaign, unit: Unit, share: float) -> bool:
    """Drawn by a hash under the installation's key: nobody can foresee it, and it stays drawn."""
    said = f"{campaign.pk}\0{unit[0]}\0{unit[1]}"
    drawn = salted_hmac("evalhub.labeling.audit", said, algorithm="sha256").digest()
    return int.from_bytes(drawn[:4]) < share * 2**32


def raise_reviews(campaign: Campaign, wanted: Mapping[Unit, Review.Reason]) -> int:
    """Open each review that is missing or was withdrawn; settled ones are not asked again.

    The answer is how many are newly open.
    """
    known = _known(campaign)
    missing = [unit for unit in wanted if unit not in known]
    Review.objects.bulk_create(
        [Review(item_id=unit[0], question_id=unit[1], reason=wanted[unit]) for unit in missing],
        batch_size=BATCH,
        ignore_conflicts=True,
    )
    again = [unit for unit in wanted if unit in known and known[unit][0] == Review.State.WITHDRAWN]
    for unit in again:
        _asked(unit, Review.State.WITHDRAWN).update(
            state=Review.State.OPEN, reason=wanted[unit], raised_at=Now()
        )
    return len(missing) + len(again)


def withdraw_reviews(
    campaign: Campaign, reasons: Collection[Review.Reason], *, keep: Collection[Unit]
) -> int:
    """Withdraw the open reviews of these reasons that are not kept and that nobody has begun."""
    rows = Review.objects.filter(
        question__campaign=campaign, state=Review.State.OPEN, reason__in=reasons, blind_at=None
    )
    kept = set(keep)
    units = rows.values_list("item", "question")
    gone = [unit for unit in units if unit not in kept]
    return sum(
        _asked(unit, Review.State.OPEN).filter(blind_at=None).update(state=Review.State.WITHDRAWN)
        for unit in gone
    )


def _give_their_reason(campaign: Campaign, wanted: Mapping[Unit, Review.Reason]) -> None:
    """What was a tie may have become a split, or agreed and only audited; what a judge saw
    otherwise, a tie: those who may not know of judges are asked for it at once."""
    for unit, (state, reason) in _known(campaign).items():
        if state == Review.State.OPEN and wanted.get(unit, reason) != reason:
            _asked(unit, Review.State.OPEN).update(reason=wanted[unit])


def _known(campaign: Campaign) -> dict[Unit, tuple[str, str]]:
    rows = Review.objects.filter(question__campaign=campaign)
    found = rows.values_list("item", "question", "state", "reason")
    return {(item, question): (state, reason) for item, question, state, reason in found}


def _asked(unit: Unit, state: Review.State) -> QuerySet[Review]:
    return Review.objects.filter(item=unit[0], question=unit[1], state=state)
