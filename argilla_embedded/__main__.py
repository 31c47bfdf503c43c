"""`python -m argilla_embedded` runs everything; with `web` or `worker` one part, for itself."""

import sys


def main() -> None:
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    if part == "web":
        from .web import run
    elif part == "worker":
        from .worker import run
    else:
        from .serving import run
    run()


if __name__ == "__main__":
    main()
