"""`python -m benchmarks [NAME …]`: what EvalHub does best, measured, one table for each module.

Exit status 1 when one could not be measured; to miss an aim is no failure.
"""

import argparse
import os
import platform
import sys
import time

from .own_process import Row, measure

MODULES = ("reading", "formats", "storing", "running", "grading", "labeling", "comparing", "pages")
TITLES: Row = ("what", "measured", "aim")
HEADER = (
    "{cores} cores, {machine}, Python {python}, load {load:.1f} at the start. Compare the ratios "
    "of one run: seconds are those of this machine and of what else it did."
)


def main() -> int:
    names = _chosen()
    print(_header(), flush=True)
    measured = [_print_table(name) for name in names]
    return 0 if all(measured) else 1


def _chosen() -> list[str]:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MODULES))
    names: list[str] = parser.parse_args().names
    unknown = sorted(set(names) - set(MODULES))
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; there is {', '.join(MODULES)}")
    return names or list(MODULES)


def _header() -> str:
    return HEADER.format(
        cores=os.cpu_count(),
        machine=platform.machine(),
        python=platform.python_version(),
        load=os.getloadavg()[0],
    )


def _print_table(name: str) -> bool:
    """The table of a module, or why there is none."""
    print(f"\n== {name}", flush=True)
    began = time.monotonic()
    try:
        found = measure(name)
    except Exception as error:  # whatever breaks one, the others are measured
        print(f"not measured: {type(error).__name__}: {error}", flush=True)
        return False
    print(f"{_table(found)}\n({time.monotonic() - began:.0f} s)", flush=True)
    return True


def _table(found: list[Row]) -> str:
    lines = [TITLES, *found]
    widths = [max(len(line[column]) for line in lines) for column in range(2)]
    return "\n".join(f"{a:{widths[0]}}  {b:{widths[1]}}  {c}" for a, b, c in lines)


if __name__ == "__main__":
    sys.exit(main())
