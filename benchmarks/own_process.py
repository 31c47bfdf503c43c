"""Measuring a module in a process of its own, on a data directory of its own."""

import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context

Row = tuple[str, str, str]
"""What was measured, how it came out, the aim."""


def measure(name: str) -> list[Row]:
    """The rows of `benchmarks.<name>`; raises whatever kept it from measuring."""
    with tempfile.TemporaryDirectory(prefix="evalhub-bench-") as data_dir:
        os.environ["EVALHUB_DATA_DIR"] = data_dir
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalhub.settings")
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            return pool.submit(_rows, name).result()


def _rows(name: str) -> list[Row]:
    found: list[Row] = import_module(f"benchmarks.{name}").rows()
    return found
