"""What one test does, no other test of the same process sees."""

import pytest
from django.core.cache import cache


@pytest.mark.parametrize("turn", ["first", "second"])
def test_what_is_cached_in_one_test_is_gone_in_the_next(turn: str) -> None:
    assert cache.add("rate:user_per_minute:1", turn)
