"""What is inconclusive looks the same wherever it is said."""

from apps.analysis.showing.words import VERDICTS
from apps.analysis.trends.telling import LOOKS
from apps.web.states import look_of


def test_inconclusive_has_one_tone_in_gates_comparisons_and_trends() -> None:
    tones = {VERDICTS["inconclusive"].tone, LOOKS["inconclusive"].tone}

    assert tones == {look_of("inconclusive").tone} == {"warn"}
