"""How a state is shown: its tone and its label, the same on every page."""

from typing import Literal, NamedTuple

Tone = Literal["neutral", "ok", "warn", "bad", "info"]


class Look(NamedTuple):
    tone: Tone
    label: str
    pulse: bool = False


_WORDS: dict[Tone, str] = {
    "ok": "completed accepted succeeded success answered ok pass passed active verified valid done "
    "submitted agreed connected delivered",
    "warn": "completed_with_failures accepted_with_record_errors retrying inconclusive unsure "
    "warning carried skipped partial draft expired stale unjudged "
    "needs_a_choice approval_required waiting_for_approval blocked_on_reconciliation",
    "bad": "failed rejected error evaluation_error fail invalid timeout blocking lost tampered "
    "revoked locked target_error denied",
    "info": "running preparing validating finalizing finalising claimed importing cancelling "
    "storing syncing",
    "neutral": "queued waiting pending sent created cancelled archived not_scored",
}
_TONES: dict[str, Tone] = {word: tone for tone, words in _WORDS.items() for word in words.split()}
_LABELS = {
    "completed_with_failures": "Completed, with failures",
    "accepted_with_record_errors": "Accepted, with record errors",
    "ok": "OK",
    "sent": "Waiting",
    "timeout": "Timed out",
    "unjudged": "Not judged",
}


def look_of(state: str) -> Look:
    """A word that is not in the table is neutral and reads as itself."""
    word = state.strip().lower().replace(" ", "_").replace("-", "_")
    tone = _TONES.get(word, "neutral")
    label = _LABELS.get(word, word.replace("_", " ").capitalize())
    return Look(tone, label, pulse=tone == "info")
