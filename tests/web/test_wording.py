"""What forms say of a value that is out of bounds."""

import pytest
from django import forms


class Bounded(forms.Form):
    name = forms.CharField(min_length=2, max_length=5)
    trials = forms.IntegerField(min_value=1, max_value=10)
    margin = forms.FloatField(min_value=0, max_value=100)


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("name", "abcdef", "At most 5 characters; it has 6."),
        ("name", "a", "At least 2 characters; it has 1."),
        ("trials", "11", "It may be 10 at most, not 11."),
        ("trials", "0", "It must be at least 1, not 0."),
        ("trials", "9" * 400, f"It may be 10 at most, not {'9' * 400}."),
        ("margin", "-3", "It must be at least 0, not -3."),
        ("margin", "-0.5", "It must be at least 0, not -0.5."),
        ("margin", "130", "It may be 100 at most, not 130."),
        ("margin", "1e300", "It may be 100 at most, not 1e+300."),
    ],
)
def test_bounds_are_told_in_our_words(field: str, value: str, told: str) -> None:
    form = Bounded({"name": "abc", "trials": "3", "margin": "3", field: value})

    assert form.errors == {field: [told]}
