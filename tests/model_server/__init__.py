"""A model server on loopback that fails by plan: for tests, benchmarks and `make demo` checks.

`python -m tests.model_server --port 8100 --latency-ms 50` runs it alone. In tests the fixture
`model_server` gives a `ModelServer`. What it does to a prompt is decided by the prompt's hash and
the plan (`plan.py`), or by a marker in the prompt itself: `[[429 times=2 after_ms=300]] Hello`.
"""

from .handle import ModelServer, running_server

__all__ = ["ModelServer", "running_server"]
