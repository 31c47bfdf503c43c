"""Questions as every task asks them: yes or no, notes, and why one cannot say. Pure."""

from apps.labeling.plans import Asked, Language

from .base import DISCARD_REASON, NOTES, Option, Text

YES = Text("Yes", "Ja")
NO = Text("No", "Nein")

_REASONS = {
    "invalid_or_unrealistic": Text("Invalid or unrealistic", "Ungültig oder unrealistisch"),
    "unclear": Text("Unclear", "Unklar"),
    "outside_reviewer_expertise": Text("Outside my expertise", "Außerhalb meiner Fachkenntnis"),
}
_WHY = Text("If you discard it: why?", "Beim Verwerfen: warum?")
_FIRST = Text(
    "Choose a reason, then press Discard. Leave it empty when you submit.",
    "Erst einen Grund wählen, dann verwerfen. Beim Absenden leer lassen.",
)
_NOTES = Text("Notes", "Anmerkungen")


def yes_no(language: Language, title: Text, name: str = "") -> Asked:
    return Asked(name=name, title=title.of(language), options=answers(language))


def answers(language: Language) -> tuple[Option, ...]:
    return (
        Option(value="true", title=YES.of(language)),
        Option(value="false", title=NO.of(language)),
    )


def beside(language: Language) -> tuple[Asked, ...]:
    """What stands in every queue beside a task's own questions; none of it must be answered."""
    reasons = (Option(value=value, title=text.of(language)) for value, text in _REASONS.items())
    why = Asked(
        name=DISCARD_REASON,
        title=_WHY.of(language),
        description=_FIRST.of(language),
        kind="choice",
        options=tuple(reasons),
        required=False,
    )
    return why, Asked(name=NOTES, title=_NOTES.of(language), kind="text", required=False)
