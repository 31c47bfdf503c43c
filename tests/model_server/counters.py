"""What the server counts."""

from collections import Counter
from typing import Any

MOST_PROMPTS = 1_000_000


class Counters:
    def __init__(self) -> None:
        self.requests = self.answered = self.repeats = self.connections = 0
        self.in_flight = self.peak_concurrency = 0
        self.calls: Counter[int] = Counter()
        self.answers: Counter[int] = Counter()
        self.statuses: Counter[str] = Counter()

    def begin(self, digest: int) -> int:
        """Count a call; how many this prompt had before."""
        self.requests += 1
        self.in_flight += 1
        self.peak_concurrency = max(self.peak_concurrency, self.in_flight)
        if len(self.calls) < MOST_PROMPTS:
            self.calls[digest] += 1
        return self.calls[digest] - 1

    def end(self, outcome: str) -> None:
        self.in_flight -= 1
        self.statuses[outcome] += 1

    def answer(self, digest: int) -> None:
        """Count an answer; a repeat is money spent twice."""
        self.answered += 1
        self.repeats += self.answers[digest] > 0
        self.answers[digest] += 1

    def as_dict(self) -> dict[str, Any]:
        return {
            "requests": self.requests,
            "answered": self.answered,
            "repeats": self.repeats,
            "distinct_prompts": len(self.calls),
            "distinct_answered": len(self.answers),
            "in_flight": self.in_flight,
            "peak_concurrency": self.peak_concurrency,
            "connections": self.connections,
            "statuses": dict(self.statuses),
        }
